package provider

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"time"
)

// Arrivals tells when the bytes of a body came: one entry per read, in order.
type Arrivals []Arrival

// Arrival says that the first End bytes of the body were there at a time.
type Arrival struct {
	End int
	At  time.Duration // since the start of the exchange
}

// At returns when the byte before end had arrived, 0 if that is not known.
func (a Arrivals) At(end int) time.Duration {
	i := sort.Search(len(a), func(i int) bool { return a[i].End >= end })
	if i == len(a) {
		return 0
	}
	return a[i].At
}

// Errors of a body that is more than we read.
var (
	errBodyLimit = errors.New("body is larger than our limit")
	errWireLimit = errors.New("body is larger than our limit before decompression")
	errEncoding  = errors.New("body has a content encoding that was not asked for")
	errGzip      = errors.New("body is not the gzip it says")
)

// bodyReader reads a body to its end under limits. It asked for gzip at most,
// and undoes it itself: net/http would hide how many bytes came over the wire.
type bodyReader struct {
	limits   Limits
	since    func() time.Duration // nil for a recorded body
	progress func(body []byte, fresh int)
	arrivals Arrivals
}

// read reads into resp.Body. On an error resp has what came before it.
func (b *bodyReader) read(resp *Response, wire io.Reader) error {
	counted := &countedReader{r: wire, left: b.limits.Wire}
	defer func() { resp.WireBytes = b.limits.Wire - max(counted.left, 0) }()
	from, err := decompressed(resp.Header.Get("Content-Encoding"), counted)
	if err != nil {
		return err
	}
	body := make([]byte, 0, 4<<10)
	for {
		if int64(len(body)) > b.limits.Body {
			resp.Body = body[:b.limits.Body]
			return errBodyLimit
		}
		if cap(body)-len(body) < 1<<10 {
			body = slices.Grow(body, len(body))
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if n > 0 {
			b.stamp(body, n)
		}
		if err == io.EOF && int64(len(body)) <= b.limits.Body {
			resp.Body = body
			return nil
		}
		if err != nil && err != io.EOF {
			resp.Body = body[:min(int64(len(body)), b.limits.Body)]
			return gzipError(from, err)
		}
	}
}

func (b *bodyReader) stamp(body []byte, fresh int) {
	if b.since != nil {
		b.arrivals = append(b.arrivals, Arrival{End: len(body), At: b.since()})
	}
	if b.progress != nil {
		b.progress(body, fresh)
	}
}

// decompressed returns a reader of the body itself.
func decompressed(encoding string, wire io.Reader) (io.Reader, error) {
	switch e := strings.ToLower(strings.TrimSpace(encoding)); e {
	case "", "identity":
		return wire, nil
	case "gzip", "x-gzip":
		return &gzipReader{wire: wire}, nil
	default:
		return nil, errEncoding
	}
}

// gzipReader reads the gzip header with the first read, not before: that may
// block, and it may fail like any other read.
type gzipReader struct {
	wire io.Reader
	zip  *gzip.Reader
}

// Read implements io.Reader.
func (g *gzipReader) Read(p []byte) (int, error) {
	if g.zip == nil {
		zip, err := gzip.NewReader(g.wire)
		if err != nil {
			return 0, err
		}
		g.zip = zip
	}
	return g.zip.Read(p)
}

// gzipError tells a damaged gzip from a connection that broke.
func gzipError(from io.Reader, err error) error {
	if _, ok := from.(*gzipReader); !ok {
		return err
	}
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || strings.HasPrefix(err.Error(), "flate: corrupt") {
		return fmt.Errorf("%w: %w", errGzip, err)
	}
	return err
}

// countedReader fails with errWireLimit once more than left bytes were read.
type countedReader struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (c *countedReader) Read(p []byte) (int, error) {
	if c.left < 0 {
		return 0, errWireLimit
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	if c.left < 0 {
		return n + int(c.left), errWireLimit
	}
	return n, err
}
