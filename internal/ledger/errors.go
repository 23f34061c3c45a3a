package ledger

import (
	"errors"
	"fmt"
)

var (
	// ErrUnwritable is wrapped by the error of whatever the ledger could not
	// do because of its file: a full disk, a file that is read-only, gone or
	// damaged, a lock that somebody holds.
	ErrUnwritable = errors.New("the ledger is not usable")
	// ErrDamaged is wrapped besides, when the file is damaged. A restart sets
	// it aside.
	ErrDamaged = errors.New("the ledger file is damaged")
	// ErrNotFound is that of a round, incident or prompt that is not there.
	ErrNotFound = errors.New("not in the ledger")
)

// notFound is the error for something that is not there.
func notFound(what string, id fmt.Stringer) error {
	return fmt.Errorf("%s %s: %w", what, id, ErrNotFound)
}
