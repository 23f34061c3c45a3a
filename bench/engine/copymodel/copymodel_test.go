package copymodel

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"testing"
)

// TestWrite pins the files: what the documents say was measured was measured
// with these bytes.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(io.Writer) error
		size  int
		sum   string
	}{
		{"codes", Write, 10_282_400, "271430063fbf7a64481cc4938b03fb04"},
		{"seals", WriteSeals, 26_011_040, "cdf1af4120197c50a11ccedf1f36ec9d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.write(&b); err != nil {
				t.Fatal(err)
			}
			sum := md5.Sum(b.Bytes())
			if got := hex.EncodeToString(sum[:]); got != c.sum || b.Len() != c.size {
				t.Errorf("model of %d bytes with MD5 %s, want %d bytes with %s", b.Len(), got, c.size, c.sum)
			}
		})
	}
}

// TestByteCodes holds that no two bytes can be taken for each other.
func TestByteCodes(t *testing.T) {
	codes := byteCodes()
	for a := range codes {
		for b := range a {
			dot := 0.0
			for i := range codes[a] {
				dot += float64(codes[a][i] * codes[b][i])
			}
			if dot > 0.2501 {
				t.Fatalf("codes of bytes %d and %d have dot product %v", a, b, dot)
			}
		}
	}
}

// TestKernels holds the gaps that the heads rest on.
func TestKernels(t *testing.T) {
	exact, near := exactKernel(), nearKernel()
	for d := 1.0; d < 2*Context; d++ {
		if gap := exact.at(0) - exact.at(d); gap < 20 {
			t.Fatalf("looking back: gap %.1f to distance %v", gap, d)
		}
	}
	for d := 3.0; d <= 80; d++ {
		for e := d + 3; e < d+4000; e++ {
			if gap := near.at(d) - near.at(e); gap < 4 {
				t.Fatalf("word starts at %v and %v places back: gap %.1f", d, e, gap)
			}
		}
	}
	if span := near.at(0) - near.at(80); span > 500 || math.IsNaN(span) {
		t.Errorf("a near position outweighs a word start: span %.0f", span)
	}
}

func TestByteToken(t *testing.T) {
	for b, want := range map[byte]string{'a': "a", ' ': "Ġ", '\n': "Ċ", 0: "Ā", 0xAD: "Ń", 0xFF: "ÿ"} {
		if got := byteToken(b); got != want {
			t.Errorf("byteToken(%#x) = %q, want %q", b, got, want)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteFails(t *testing.T) {
	if err := Write(failing{}); err == nil {
		t.Error("Write to a full disk: no error")
	}
}
