#!/bin/bash
# Installs one of the other servers into DIR/peers/NAME, unless it is there.
#
#   ollama    from the Go module proxy, with cgo: 1.5 to 3 minutes; needs g++
#   portkey aimock mock-llm   from npm: seconds
#
# usage: install-peer.sh DIR NAME
set -euo pipefail
dir=${1:?} name=${2:?}
mkdir -p "$dir/peers"
cd "$dir/peers"
exec 9> "lock-$name"
flock 9
[ -d "$name" ] && exit 0
rm -rf "$name.part"
mkdir "$name.part"
npm_install() { (cd "$name.part" && npm install --silent --no-audit --no-fund --save-exact "$1"); }
case $name in
  ollama) # without -march it computes with SSE only
    CGO_CFLAGS="-O3 -march=x86-64-v3" CGO_CXXFLAGS="-O3 -march=x86-64-v3" GOFLAGS='' GOBIN=$PWD/$name.part \
      go install github.com/ollama/ollama@v0.6.5 ;;
  portkey) npm_install @portkey-ai/gateway@1.15.2 ;;
  aimock) npm_install @copilotkit/aimock@1.43.0 ;;
  mock-llm) npm_install @dwmkerr/mock-llm@0.1.29 ;;
  *) echo "install-peer: no server $name" >&2; exit 2 ;;
esac
mv "$name.part" "$name"
