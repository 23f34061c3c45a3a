package provider

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain wants every goroutine gone when the tests are: an exchange leaves
// nothing behind, however it ended.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
