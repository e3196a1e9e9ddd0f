# Drops the marks of named groups (/// @name Losses, /// @{ ... /// @}) from a header, line by line.
# Called by Doxygen for a check of docs/build.py: a member of a group that has no words of its own is given
# those of another member, which is what is meant in a group without a name (///@{), and only there.
/\/\/\/ @name / { named = 1; print ""; next }
/\/\/\/ ?@\{/ { depth++; if (named) { dropped = depth; named = 0; print ""; next } }
/\/\/\/ ?@\}/ { depth--; if (dropped == depth + 1) { dropped = 0; print ""; next } }
{ print }
