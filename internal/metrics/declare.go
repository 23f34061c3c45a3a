package metrics

import (
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Prefix begins the name of every series.
const Prefix = "crosstalk_"

// Series is one entry of the catalogue.
type Series struct {
	Name   string
	Type   string // counter, gauge, histogram
	Help   string
	Labels []string
}

// Catalogue lists every series, in the order of its declaration.
func Catalogue() []Series {
	d := declarer{factory: promauto.With(prometheus.NewRegistry())}
	declare(&d)
	return d.list
}

// declarer registers series and keeps the list of them.
type declarer struct {
	factory promauto.Factory
	list    []Series
}

func (d *declarer) add(kind, name, help string, labels []string) string {
	d.list = append(d.list, Series{Name: Prefix + name, Type: kind, Help: help, Labels: labels})
	return Prefix + name
}

func (d *declarer) counter(name, help string, labels ...string) *prometheus.CounterVec {
	name = d.add("counter", name, help, labels)
	return d.factory.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (d *declarer) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	name = d.add("gauge", name, help, labels)
	return d.factory.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

// histogram declares a native histogram with classic buckets beside it, for
// those who do not scrape native ones yet.
func (d *declarer) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	name = d.add("histogram", name, help, labels)
	return d.factory.NewHistogramVec(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  100,
		NativeHistogramMinResetDuration: time.Hour,
	}, labels)
}

// latest is a point in time that never goes back: rounds end in any order, and
// after a start the ledger is asked what was last.
type latest struct {
	vec *prometheus.GaugeVec
	mu  sync.Mutex
	at  map[string]time.Time // by label values
}

func (d *declarer) latest(name, help string, labels ...string) *latest {
	return &latest{vec: d.gauge(name, help, labels...), at: map[string]time.Time{}}
}

// raise sets the time of a label set unless it has a later one.
func (l *latest) raise(t time.Time, labels ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := strings.Join(labels, "\x00")
	if t.IsZero() || !t.After(l.at[key]) {
		return
	}
	l.at[key] = t
	l.vec.WithLabelValues(labels...).Set(seconds(t))
}

// drop forgets a label set.
func (l *latest) drop(labels ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.at, strings.Join(labels, "\x00"))
	l.vec.DeleteLabelValues(labels...)
}

// seconds is a point in time as Prometheus has it.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// words turns what becomes a label into one of few words. A word of ours is
// short, in lower case, and has no digits but a last one; whatever else comes
// is "other", and so is the first word after too many.
type words struct {
	mu   sync.Mutex
	most int
	seen map[string]map[string]bool // by scope
}

// other stands for every word that is not one of ours.
const other = "other"

func newWords(most int) *words { return &words{most: most, seen: map[string]map[string]bool{}} }

func (w *words) word(scope, s string) string {
	s = strings.NewReplacer(" ", "_", "-", "_").Replace(s) // "not sent", "stop-file"
	if !isWord(s) {
		return other
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen[scope]
	if seen == nil {
		seen = map[string]bool{}
		w.seen[scope] = seen
	}
	if !seen[s] && len(seen) >= w.most {
		return other
	}
	seen[s] = true
	return s
}

func isWord(s string) bool {
	if s == "" || len(s) > 24 {
		return false
	}
	for i := range len(s) {
		last := i == len(s)-1
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c == '_' && i > 0:
		case c >= '0' && c <= '9' && last && i > 0:
		default:
			return false
		}
	}
	return true
}
