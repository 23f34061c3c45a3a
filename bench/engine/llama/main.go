// Command llama builds llama.cpp's server and the copy model, starts the server
// on loopback and leaves it running until it is interrupted:
//
//	go run ./bench/engine/llama [-dir DIR] [-model FILE] [-- FLAGS]
//
// Flags after -- go to the server, for instance --port 18085, -np 1, -c 4096.
// With -model it only writes the model.
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
	s, err := engine.Start(ctx, *dir, os.Stderr, flag.Args()...)
	if err != nil {
		return err
	}
	fmt.Println(s.BaseURL)
	<-ctx.Done()
	s.Stop()
	return nil
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
