# Fetches the style sheet of the reference from the package index into THEME and writes the Doxyfile in
# FOLDER: with the sheet, or, where the network does not allow it, with Doxygen's own look.
# Called by the target `docs`; what was fetched once is kept.
set(sheet "${THEME}/doxygen_awesome_css/doxygen-awesome.css")
if(NOT EXISTS "${sheet}")
  file(MAKE_DIRECTORY "${THEME}")
  execute_process(
    COMMAND python3 -m pip --disable-pip-version-check download --quiet --no-deps
      --only-binary :all: --timeout 10 --retries 1 --dest "${THEME}" doxygen-awesome-css==2.4.1rc0
    OUTPUT_QUIET ERROR_QUIET)
  file(GLOB wheel "${THEME}/*.whl")
  if(wheel)
    file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION "${THEME}")
  endif()
endif()

file(READ "${FOLDER}/Doxyfile.in" doxyfile)
if(EXISTS "${sheet}")
  string(APPEND doxyfile "HTML_EXTRA_STYLESHEET = \"${sheet}\"\n")
else()
  message(STATUS "the style sheet could not be fetched; the pages have Doxygen's own look")
endif()
file(WRITE "${FOLDER}/Doxyfile" "${doxyfile}")
