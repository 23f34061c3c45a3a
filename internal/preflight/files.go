package preflight

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// File is a saved answer or a file of launch settings.
type File struct {
	// Node it belongs to; "" for the one that the files before it belong to.
	Node string
	Path string
}

// ReadFiles reads saved documents into nodes. Files without a node's name are
// of one node until a kind of document comes a second time: then another node
// begins, named by its file.
func ReadFiles(files []File) []*Node {
	var nodes []*Node
	byName := map[string]*Node{}
	var current *Node
	seen := map[string]bool{}
	for _, f := range files {
		body, err := readFile(f.Path)
		if f.Node != "" {
			n := byName[f.Node]
			if n == nil {
				n = &Node{Name: f.Node}
				byName[f.Node] = n
				nodes = append(nodes, n)
			}
			n.take(f.Path, body, err)
			continue
		}
		fresh := &Node{Name: f.Path}
		kind := fresh.take(f.Path, body, err)
		if current == nil || kind != "" && seen[kind] {
			current, seen = fresh, map[string]bool{}
			nodes = append(nodes, current)
		} else {
			current.absorb(f.Path, fresh)
		}
		seen[kind] = true
	}
	return nodes
}

// take reads one file into the node.
func (n *Node) take(path string, body []byte, err error) string {
	if err != nil {
		n.trouble(path, clean(err.Error()), "name a file that can be read")
		return ""
	}
	return n.Read(path, body)
}

// readFile reads a file up to one byte more than a document may have.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, cause(err)
	}
	if info.IsDir() {
		return nil, errors.New("it is a folder")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, MaxDocument+1))
	if err != nil {
		return nil, cause(err)
	}
	return body, nil
}

// cause leaves the path out, which reports show already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Named splits NAME=REST. A name is of lower case letters, digits, dot, dash
// and underscore, so that most paths and every URL are left whole.
func Named(text string) (name, rest string, err error) {
	name, rest, found := strings.Cut(text, "=")
	if !found || strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_')
	}) >= 0 {
		return "", text, nil
	}
	if name == "" || rest == "" {
		return "", "", fmt.Errorf("%q is not NAME=VALUE", text)
	}
	return name, rest, nil
}
