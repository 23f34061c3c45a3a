package tenants

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxSecretFile is far above any key and far below what would hurt to read.
const maxSecretFile = 64 << 10

// reference says where a secret is kept: in an environment variable or a file.
type reference struct {
	kind, name string // "env" and a variable, or "file" and a path as written
	dir        string // what a relative path is relative to
	lookup     func(string) (string, bool)
}

// parseReference checks the form of ref without reading what it refers to. What
// is not a reference may be the secret itself, pasted in the wrong place, so the
// error does not repeat it.
func parseReference(ref, dir string, lookup func(string) (string, bool)) (reference, error) {
	kind, name, ok := strings.Cut(ref, ":")
	if !ok || kind != "env" && kind != "file" {
		return reference{}, errors.New(`not a reference to a secret: write "env:NAME" or "file:PATH", never the secret itself`)
	}
	if name == "" {
		return reference{}, fmt.Errorf("%q names nothing: write \"env:NAME\" or \"file:PATH\"", ref)
	}
	return reference{kind: kind, name: name, dir: dir, lookup: lookup}, nil
}

func (r reference) String() string { return r.kind + ":" + r.name }

// path is where the file is.
func (r reference) path() string {
	if filepath.IsAbs(r.name) {
		return r.name
	}
	return filepath.Join(r.dir, r.name)
}

// read reads the text behind the reference. vet, if not nil, may refuse a file
// for its metadata.
func (r reference) read(vet func(path string, info fs.FileInfo) error) (string, error) {
	if r.kind == "env" {
		text, ok := r.lookup(r.name)
		switch {
		case !ok:
			return "", fmt.Errorf("environment variable %s is not set: export it before the start", r.name)
		case text == "":
			return "", fmt.Errorf("environment variable %s is empty", r.name)
		}
		return text, nil
	}
	path := r.path()
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("file %s does not exist: create it, or correct the reference %s: %w", path, r, fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("file %s is not readable for this user: change its owner or mode: %w", path, fs.ErrPermission)
	case err != nil:
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s is a directory: name the file in it", path)
	}
	if vet != nil {
		if err := vet(path, info); err != nil {
			return "", err
		}
	}
	text, err := io.ReadAll(io.LimitReader(file, maxSecretFile+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxSecretFile:
		return "", fmt.Errorf("file %s is larger than %d bytes: that is not a key", path, maxSecretFile)
	case len(text) == 0:
		return "", fmt.Errorf("file %s is empty", path)
	}
	return string(text), nil
}
