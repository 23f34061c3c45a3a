// Command llama builds llama.cpp's server and the copy model, starts the server
// on loopback and leaves it running until it is interrupted:
//
//	go run ./bench/engine/llama [-dir DIR] [-model FILE] [-seals] [-patched] [-- FLAGS]
//
// Flags after -- go to the server, for instance --port 18085, -np 1, -c 4096.
// With -model it only writes the model. With -seals the model lists several
// phrases, for task: seals. With -patched it is the server with the
// faults of package engine, each switched on by a variable:
//
//	CT_POOL=2700  a longer prompt is answered out of what its slot last held
//	CT_USAGE=1    and usage says that it had one token
//	CT_SWAP=0.05  this share of answers goes to another request
//	CT_STRAY=0.1  this share of prompts is also seen by another slot (with -kvu)
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"crosstalk/bench/engine"
	"crosstalk/bench/engine/copymodel"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() error {
	dir := flag.String("dir", "", "folder to build in (default: the user's cache)")
	model := flag.String("model", "", "only write the model to this file")
	seals := flag.Bool("seals", false, "start the sound server with the model that lists several phrases")
	patched := flag.Bool("patched", false, "start the server with the faults that CT_POOL, CT_USAGE, CT_SWAP and CT_STRAY switch on")
	flag.Parse()
	if *model != "" {
		return writeModel(*model)
	}
	if *dir == "" {
		var err error
		if *dir, err = engine.DefaultDir(); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := server(ctx, *dir, *patched, *seals)
	if err != nil {
		return err
	}
	fmt.Println(s.BaseURL)
	<-ctx.Done()
	s.Stop()
	return nil
}

func server(ctx context.Context, dir string, patched, seals bool) (*engine.Server, error) {
	if seals {
		return engine.StartSeals(ctx, dir, os.Stderr, flag.Args()...)
	}
	if patched {
		return engine.StartPatched(ctx, dir, os.Stderr, engine.Fault{}, flag.Args()...) // faults come from the environment
	}
	return engine.Start(ctx, dir, os.Stderr, flag.Args()...)
}

func writeModel(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := copymodel.Write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
