package web

import (
	"fmt"
	"html/template"
	"math"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/internal/report"
)

// funcs are what the templates may call.
func (p *pages) funcs() template.FuncMap {
	return template.FuncMap{
		"ago":     func(t time.Time) string { return ago(p.o.Now(), t) },
		"stamp":   stamp,
		"number":  func(n int64) string { return report.Number(n) },
		"count":   func(n int) string { return report.Number(int64(n)) },
		"percent": percent,
		"seconds": secondsText,
		"usd":     func(f float64) string { return fmt.Sprintf("%.2f", f) },
		"chance":  func(f float64) string { return fmt.Sprintf("%.0e", f) },
		"short":   func(id uuid.UUID) string { return id.String()[:8] + "…" + id.String()[31:] },
		"known":   func(id uuid.UUID) bool { return id != uuid.Nil },
		"style":   func(k alerting.Kind) string { return stateOf(k).Class },
		"hash":    func(s string) string { return cut(s, 12) },
		"cut":     cut,
		"path":    url.PathEscape,
		"join":    func(list []string) string { return cut(strings.Join(list, ", "), 300) },
	}
}

// ago is the time from t to now in words.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	switch d := now.Sub(t); {
	case d < 0:
		return "in " + span(-d)
	case d < time.Second:
		return "now"
	default:
		return span(d) + " ago"
	}
}

// span is a duration in its largest unit.
func span(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	}
}

// stamp is a point in time, UTC.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// percent is a ratio with as many digits as it deserves.
func percent(f float64) string {
	switch p := f * 100; {
	case math.IsNaN(p):
		return "?"
	case p >= 9.95:
		return fmt.Sprintf("%.0f %%", p)
	case p >= 0.095:
		return fmt.Sprintf("%.1f %%", p)
	case p > 0:
		return fmt.Sprintf("%.2g %%", p)
	default:
		return "0 %"
	}
}

func secondsText(f float64) string {
	switch {
	case f <= 0:
		return "–"
	case f < 10:
		return fmt.Sprintf("%.2f s", f)
	default:
		return fmt.Sprintf("%.0f s", f)
	}
}

// cut is a text that came from outside as a page can bear it: on one line,
// without control or direction characters, not long.
func cut(s string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == most {
			b.WriteString("…")
			break
		}
		n++
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
