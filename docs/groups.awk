# Doxygen reads headers through this: awk -v keep=1 -f docs/groups.awk HEADER.
# In a named group (/// @name Losses, /// @{ ... /// @}) it would read the first member's comment as the
# group's, and give members without words those of another member. So the group's comment becomes a block of
# its own here; with keep=0 it is dropped, which is how docs/build.py finds members without words.
# In a group without a name (///@{) one comment is meant for all members. Lines keep their numbers.
/\/\/\/ @name / { named = 1; gsub("/[*]", "/ *"); sub("///", "/**"); print keep ? $0 : ""; next }
named && /\/\/\/ ?@\{/ { depth++; dropped = depth; named = 0; sub("///", ""); print keep ? $0 " */" : ""; next }
named { gsub("/[*]", "/ *"); sub("///", ""); print keep ? $0 : ""; next }
/\/\/\/ ?@\{/ { depth++ }
/\/\/\/ ?@\}/ { depth--; if (dropped == depth + 1) { dropped = 0; print keep ? $0 : ""; next } }
{ print }
