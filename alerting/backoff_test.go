package alerting

import (
	"net/http"
	"testing"
	"time"
)

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{
		"", "7", "0.5", "-1", "NaN", "Inf", "1e400", "99999999999999999999", "soon",
		"Fri, 31 Dec 1999 23:59:59 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Friday, 31-Dec-99 23:59:59 GMT",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d := retryAfter(http.Header{"Retry-After": {text}}, epoch); d < 0 || d > 24*time.Hour {
			t.Errorf("Retry-After: %q gives %v", text, d)
		}
	})
}
