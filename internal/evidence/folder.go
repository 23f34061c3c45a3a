package evidence

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Modes keep evidence to its owner, sealed as it is.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// Suffix is the end of the name of an envelope; before it stands the id.
const Suffix = ".evidence"

// ErrNotFound is wrapped by the error for evidence that is not there: never
// kept, past its retention, or erased.
var ErrNotFound = errors.New("no such evidence")

// Folder is where envelopes lie, one a file. Several processes may use one: a
// file is put in its place whole, and is never changed.
type Folder struct{ path string }

// NewFolder returns the folder of that path. It is made when something is put
// into it.
func NewFolder(path string) *Folder { return &Folder{path} }

// Path is the path of the folder.
func (f *Folder) Path() string { return f.path }

// Entry is one file of a folder.
type Entry struct {
	Label Label
	Path  string
	Bytes int64 // of the file
	// Err says why its label could not be read; its Label is then empty but
	// for the id in its name and the time of the file.
	Err error
}

func (f *Folder) file(id uuid.UUID) string { return filepath.Join(f.path, id.String()+Suffix) }

// Put writes an envelope, synced to the disk. One of that id that is there is
// replaced.
func (f *Folder) Put(id uuid.UUID, data []byte) (err error) {
	if err := os.MkdirAll(f.path, folderMode); err != nil {
		return fmt.Errorf("make the evidence folder: %w", err)
	}
	tmp, err := os.CreateTemp(f.path, "."+id.String()+"-*.tmp") // has mode 0600
	if err != nil {
		return fmt.Errorf("write evidence %s: %w", id, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("write evidence %s: %w", id, err)
	}
	if err := os.Rename(tmp.Name(), f.file(id)); err != nil {
		return fmt.Errorf("write evidence %s: %w", id, err)
	}
	return f.sync()
}

// sync makes a change of names last.
func (f *Folder) sync() error {
	d, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("sync the evidence folder: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync the evidence folder: %w", err)
	}
	return nil
}

// List reads the labels of all envelopes, oldest first. A folder that is not
// there is empty.
func (f *Folder) List() ([]Entry, error) {
	names, err := os.ReadDir(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the evidence: %w", err)
	}
	var list []Entry
	for _, n := range names {
		name, ok := strings.CutSuffix(n.Name(), Suffix)
		id, err := uuid.Parse(name)
		if !ok || err != nil || n.IsDir() {
			continue
		}
		e, err := f.entry(id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // erased this moment
		}
		if err != nil {
			return nil, fmt.Errorf("list the evidence: %w", err)
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Entry) int {
		if c := a.Label.At.Compare(b.Label.At); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return list, nil
}

// entry reads the label of one file.
func (f *Folder) entry(id uuid.UUID) (Entry, error) {
	e := Entry{Path: f.file(id), Label: Label{ID: id}}
	file, err := os.Open(e.Path)
	if err != nil {
		return e, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return e, err
	}
	e.Bytes, e.Label.At = info.Size(), info.ModTime().UTC()
	head, err := io.ReadAll(io.LimitReader(file, maxLabel))
	if err != nil {
		return e, err
	}
	label, _, err := ParseEnvelope(head)
	switch {
	case err != nil:
		e.Err = err
	case label.ID != id:
		e.Err = fmt.Errorf("%w: the file of %s has the label of %s", ErrDamaged, id, label.ID)
	default:
		e.Label = label
	}
	return e, nil
}

// Read reads an envelope.
func (f *Folder) Read(id uuid.UUID) ([]byte, error) {
	data, err := os.ReadFile(f.file(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("evidence %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("evidence %s: %w", id, err)
	}
	return data, nil
}

// Erase deletes an envelope.
func (f *Folder) Erase(id uuid.UUID) error {
	err := os.Remove(f.file(id))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("evidence %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return fmt.Errorf("erase evidence %s: %w", id, err)
	}
	return f.sync()
}

// Prune deletes the envelopes of before a time, and what a write that was cut
// short has left behind. It returns how many envelopes it deleted.
func (f *Folder) Prune(before time.Time) (int, error) {
	list, err := f.List()
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range list {
		if !e.Label.At.Before(before) {
			continue
		}
		if err := f.Erase(e.Label.ID); err != nil && !errors.Is(err, ErrNotFound) {
			return n, err
		}
		n++
	}
	return n, f.pruneUnfinished(before)
}

func (f *Folder) pruneUnfinished(before time.Time) error {
	left, err := filepath.Glob(filepath.Join(f.path, ".*.tmp"))
	if err != nil {
		return fmt.Errorf("list the evidence: %w", err)
	}
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && info.ModTime().Before(before) {
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("delete unfinished evidence: %w", err)
			}
		}
	}
	return nil
}
