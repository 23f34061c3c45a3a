#!/bin/bash
# Compiles one changed source of llama-server and links it with the objects of
# build-llama-server.sh: half a minute. The unchanged program stays as it is.
#
# usage: build-patched-server.sh DIR SOURCE PROGRAM, where SOURCE, read from
# standard input, is a path in the server's source tree
set -euo pipefail
dir=${1:?} source=${2:?} program=${3:?}
cd "$dir"
exec 9> lock
flock 9
[ -x "lib/$program" ] && exit 0
work=$(mktemp -d "$PWD/patched.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "build-patched-server: compiling $source" >&2
cat > "$work/source.cpp"
includes="-Iobj -Isrc -Isrc/tools/server -Isrc/tools/mtmd -Isrc/common -Isrc/vendor -Isrc/vendor/hash -Isrc/vendor/cpp-httplib -Isrc/include -Isrc/ggml/include -Isrc/src"
g++ -std=c++17 -O1 -DNDEBUG -DGGML_USE_CPU -DLLAMA_SUBPROCESS -DMTMD_VIDEO -w $includes -c "$work/source.cpp" -o "$work/source.o"
original=obj/$(tr / _ <<< "$source").o
[ -f "$original" ] || { echo "build-patched-server: $original is missing: remove $dir and build again" >&2; exit 1; }
objects=()
for object in obj/*.o; do
  [ "$object" = "$original" ] || objects+=("$object")
done
g++ -o "$work/program" "${objects[@]}" "$work/source.o" lib/libllama-common.so lib/libllama.v*.so lib/libggml.v*.so lib/libggml-base.so -Wl,-rpath,'$ORIGIN' -pthread
mv "$work/program" "lib/$program"
