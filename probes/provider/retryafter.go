package provider

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds what a target may ask us to wait: a day, after which
// somebody should look anyway.
const maxRetryAfter = 24 * time.Hour

// retryInText finds "try again in 292ms", "retry after 40 seconds" and the like.
var retryInText = regexp.MustCompile(`(?i)(?:try again in|retry after|retry in) ((?:` + oneSpan + ` ?)*` + oneSpan + `)\b`)

// oneSpan is one number with its unit.
const oneSpan = `[0-9.]+ ?(?:ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|m|hours?|h)`

// retryPart is one number of such a text with its unit.
var retryPart = regexp.MustCompile(`(?i)([0-9.]+) ?(ms|milli|s|m|h)`)

// retryAfter returns how long the target asks us to wait, 0 if it does not
// say: by header, by Google's retryDelay, or in words.
func retryAfter(header http.Header, told toldError) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		return clampRetry(ms, time.Millisecond)
	}
	if text := header.Get("Retry-After"); text != "" {
		if s, err := strconv.ParseFloat(text, 64); err == nil {
			return clampRetry(s, time.Second)
		}
		if at, err := http.ParseTime(text); err == nil {
			return clampRetry(at.Sub(serverTime(header)).Seconds(), time.Second)
		}
	}
	if d, err := time.ParseDuration(told.retryDelay); err == nil {
		return clampRetry(d.Seconds(), time.Second)
	}
	if m := retryInText.FindStringSubmatch(told.message); m != nil {
		return durationInWords(m[1])
	}
	return 0
}

// serverTime is now by the target's clock, or by ours if it does not tell.
func serverTime(header http.Header) time.Time {
	if t, err := http.ParseTime(header.Get("Date")); err == nil {
		return t
	}
	return time.Now()
}

// clampRetry returns n units, between 0 and maxRetryAfter. Not-a-number is 0.
func clampRetry(n float64, unit time.Duration) time.Duration {
	switch {
	case !(n > 0):
		return 0
	case n > float64(maxRetryAfter/unit):
		return maxRetryAfter
	}
	return time.Duration(n * float64(unit))
}

// durationInWords reads "1m30s", "292ms", "40 seconds".
func durationInWords(text string) time.Duration {
	var sum time.Duration
	for _, m := range retryPart.FindAllStringSubmatch(text, 8) {
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			continue
		}
		unit := map[string]time.Duration{
			"ms": time.Millisecond, "milli": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour,
		}[strings.ToLower(m[2])]
		sum += clampRetry(n, unit)
	}
	return min(sum, maxRetryAfter)
}
