#!/bin/bash
# Builds llama.cpp's own llama-server out of two npm packages, in about a minute on
# two cores. node-llama-cpp carries the whole source tree as a git bundle,
# @node-llama-cpp/linux-x64 the compiled libllama and libggml of the same release;
# only the server and httplib are compiled here. What reads pictures and sound
# (mtmd), half of all there is to compile, is left out: the program ends if a
# request ever gets there, and none does without a projector. The result,
# DIR/lib, can be moved: one program and its libraries. DIR/src and DIR/obj are
# kept for build-patched-server.sh.
#
# Needs npm, git and g++. usage: build-llama-server.sh DIR
set -euo pipefail
version=3.21.1
dir=${1:?usage: build-llama-server.sh DIR}
for tool in npm git g++ tar xargs; do
  command -v "$tool" > /dev/null || { echo "build-llama-server: $tool is needed: apt-get install -y git g++ npm" >&2; exit 1; }
done
mkdir -p "$dir"
exec 9> "$dir/lock"
flock 9                                  # one build at a time
[ -x "$dir/lib/llama-server" ] && [ -d "$dir/obj" ] && exit 0 # the other build made it
work=$(mktemp -d "$dir/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
say() { echo "build-llama-server: ${SECONDS}s $*" >&2; }

say "fetching node-llama-cpp $version"
npm pack --silent "node-llama-cpp@$version" "@node-llama-cpp/linux-x64@$version" > /dev/null
mkdir lib obj
tar xzf "node-llama-cpp-$version.tgz" --strip-components=2 package/llama/gitRelease.bundle
tar xzf "node-llama-cpp-linux-x64-$version.tgz" -C lib --strip-components=3 --wildcards 'package/bins/linux-x64/*.so'
git -c advice.detachedHead=false clone -q gitRelease.bundle src
rm -rf src/.git

say "compiling"
# What the full build generates: no web pages, and a build number.
cat > obj/ui.h << 'END'
#pragma once
#include <array>
#include <string>
struct llama_ui_asset { std::string name; const unsigned char * data; std::size_t size; std::string etag; std::string type; };
inline const llama_ui_asset * llama_ui_find_asset(const std::string &) { return nullptr; }
inline bool llama_ui_use_gzip() { return false; }
inline const std::array<llama_ui_asset, 0> & llama_ui_get_assets() { static const std::array<llama_ui_asset, 0> a{}; return a; }
END
cat > obj/build-info.cpp << 'END'
#include "build-info.h"
#include <string>
int llama_build_number(void) { return 1; }
const char * llama_commit(void) { return "npm"; }
const char * llama_compiler(void) { return "g++"; }
const char * llama_build_target(void) { return "linux-x64"; }
const char * llama_build_info(void) { return "b1-npm"; }
void llama_print_build_info(const char * n, FILE * f) { fprintf(f, "%s: b1-npm\n", n ? n : "llama"); }
END
# What the server calls of mtmd while it starts and stops without a projector.
cat > obj/media.cpp << 'END'
#include "mtmd-helper.h"
#include "mtmd.h"
#include <map>
mtmd_context_params mtmd_context_params_default() { return {}; }
mtmd_helper_init_opt mtmd_helper_init_opt_default() { return {}; }
void mtmd_helper_log_set(ggml_log_callback, void *) {}
void mtmd_free(mtmd_context *) {}
std::map<ggml_backend_dev_t, size_t> mtmd_get_memory_usage(const char *, mtmd_context_params) { return {}; }
END
includes="-Iobj -Isrc -Isrc/tools/server -Isrc/tools/mtmd -Isrc/common -Isrc/vendor -Isrc/vendor/hash -Isrc/vendor/cpp-httplib -Isrc/include -Isrc/ggml/include -Isrc/src"
export CXXFLAGS="-std=c++17 -O1 -DNDEBUG -DGGML_USE_CPU -DLLAMA_SUBPROCESS -DMTMD_VIDEO -w $includes"
(
  cd src # the largest first
  ls -S tools/server/*.cpp vendor/cpp-httplib/httplib.cpp
  find vendor/hash -name '*.c' -o -name '*.cpp'
) > obj/files.txt
compile() {
  local out
  out=obj/$(tr / _ <<< "$1").o
  case $1 in
    */sha256.c | */xxhash.c) gcc -O1 -w -Isrc/vendor -Isrc/vendor/hash -c "src/$1" -o "$out" ;;
    *) g++ -x c++ $CXXFLAGS -c "src/$1" -o "$out" ;;
  esac
}
export -f compile
xargs -P "$(nproc)" -I{} bash -c 'compile {}' < obj/files.txt

say "linking"
nm -D --defined-only lib/libllama-common.so | grep -q ' _Z18llama_build_numberv\| llama_build_number' ||
  g++ $CXXFLAGS -c obj/build-info.cpp -o obj/build-info.o
g++ $CXXFLAGS -c obj/media.cpp -o obj/media.o
# Every other function of mtmd that is asked for ends the program.
{
  echo '#include <stdlib.h>'
  nm -u obj/*.o | awk '$1 == "U" && $2 ~ /^mtmd_/ { print $2 }' | sort -u |
    grep -vxF "$(nm --defined-only obj/media.o | awk '{ print $3 }')" | sed 's/.*/void &(void) { abort(); }/'
} > obj/no-media.c
gcc -w -c obj/no-media.c -o obj/no-media.o
g++ -o lib/llama-server obj/*.o lib/libllama-common.so lib/libllama.v*.so lib/libggml.v*.so lib/libggml-base.so -Wl,-rpath,'$ORIGIN' -pthread
rm -rf "$dir/lib" "$dir/src" "$dir/obj"
mv src "$dir/src"
mv obj "$dir/obj"
mv lib "$dir/lib" # last: it says that all is there
say "done: $dir/lib/llama-server"
