package alerting

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Backoff is how long to wait between attempts to deliver one page.
type Backoff struct {
	// Min is the wait after the first failure; each further one doubles it,
	// up to Max. 0 means a second and 30 seconds.
	Min, Max time.Duration
	// Long is the wait after a failure that no waiting mends, such as a key
	// that is refused: rare, because somebody must act, and not never,
	// because then somebody has. 0 means 10 minutes.
	Long time.Duration
}

// Defaults of a Backoff. A pager that comes back has the page within half a
// minute.
const (
	DefaultBackoffMin  = time.Second
	DefaultBackoffMax  = 30 * time.Second
	DefaultBackoffLong = 10 * time.Minute
)

func (b Backoff) orDefaults() Backoff {
	if b.Min <= 0 {
		b.Min = DefaultBackoffMin
	}
	if b.Max <= 0 {
		b.Max = DefaultBackoffMax
	}
	if b.Long <= 0 {
		b.Long = DefaultBackoffLong
	}
	b.Max = max(b.Min, b.Max)
	return b
}

// Wait is the wait before the next attempt, when so many have failed, the last
// with err. What the receiver asks for is honoured, but not beyond Long: a
// receiver cannot silence a page.
func (b Backoff) Wait(attempts int, err *DeliveryError) time.Duration {
	b = b.orDefaults()
	if !err.Retryable {
		return b.Long
	}
	wait := b.Min
	for i := 1; i < attempts && wait < b.Max; i++ {
		wait *= 2
	}
	return max(min(wait, b.Max), min(err.RetryAfter, b.Long))
}

// retryAfter reads a Retry-After header: seconds, or a date. It is 0 if there
// is none, or one that is in the past or means nothing, and at most a day.
func retryAfter(h http.Header, now time.Time) time.Duration {
	const most = 24 * time.Hour
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if !(n > 0) { // NaN too
			return 0
		}
		if n >= most.Seconds() {
			return most
		}
		return time.Duration(n * float64(time.Second))
	}
	if t, err := http.ParseTime(text); err == nil {
		return min(max(0, t.Sub(now)), most)
	}
	return 0
}
