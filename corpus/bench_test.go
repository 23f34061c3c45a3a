package corpus

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
)

// longSpec is a prompt of about a million tokens.
func longSpec(family string) Spec {
	spec := Spec{Version: Version, Family: family, Task: TaskSeals, Dress: DressWords, Seals: 5}
	spec.Sentences = Sentences(spec, 5_000_000)
	return spec
}

func BenchmarkReader(b *testing.B) {
	for _, family := range Families() {
		b.Run(family.Name, func(b *testing.B) {
			p := newPrompt(b, testKey(1), longSpec(family.Name))
			buffer := make([]byte, 32<<10)
			b.SetBytes(p.Size())
			b.ReportAllocs()
			for b.Loop() {
				r := p.Reader()
				for {
					if _, err := r.Read(buffer); err == io.EOF {
						break
					}
				}
			}
		})
	}
}

func BenchmarkWriteTo(b *testing.B) {
	p := newPrompt(b, testKey(1), longSpec("prose"))
	b.SetBytes(p.Size())
	for b.Loop() {
		p.Reader().(io.WriterTo).WriteTo(io.Discard)
	}
}

// BenchmarkNew is the sizing pass: its MB/s are those of the prompt sized.
func BenchmarkNew(b *testing.B) {
	spec := longSpec("prose")
	b.SetBytes(newPrompt(b, testKey(1), spec).Size())
	for b.Loop() {
		newPrompt(b, testKey(1), spec)
	}
}

func BenchmarkNewShort(b *testing.B) {
	spec := longSpec("prose")
	spec.Sentences = 20
	markers := testMarkers(spec)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(testKey(1), spec, markers); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPage(b *testing.B) {
	p := newPrompt(b, testKey(1), longSpec("prose"))
	b.ReportAllocs()
	for b.Loop() {
		p.Page(p.Pages() - 2)
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, family := range Families() {
		spec := longSpec(family.Name)
		p := newPrompt(b, testKey(1), spec)
		other, _ := newPrompt(b, testKey(2), spec).Page(7)
		texts := map[string]string{
			"answer": p.Expected(),
			// Nothing in common but every word: the worst case.
			"foreign": strings.Repeat(other, 4),
		}
		for _, name := range []string{"answer", "foreign"} {
			b.Run(family.Name+"/"+name, func(b *testing.B) {
				b.SetBytes(p.Size())
				b.ReportAllocs()
				for b.Loop() {
					p.Match(texts[name], 5, 0)
				}
			})
		}
	}
}

func BenchmarkFindLocators(b *testing.B) {
	clean := strings.Repeat(plainText+"\n", 4000)
	spec := longSpec("prose")
	spec.Sentences = 10_000
	for name, text := range map[string]string{
		"clean":    clean,
		"cyrillic": strings.Repeat("Смотритель северного склада записал итоги дня и закрыл книгу. ", 10_000),
		"han":      strings.Repeat("北方仓库的管理员记下了当天的数字，然后合上了账本。", 10_000),
		"arabic":   strings.Repeat("كتب أمين المخزن الشمالي أرقام اليوم ثم أغلق الدفتر. ", 10_000),
		"filler":   readAll(b, newPrompt(b, testKey(1), spec)),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				FindLocators(text)
			}
		})
	}
}

// BenchmarkHeap reports the memory of one prompt of a million tokens with one
// reader in the middle of it.
func BenchmarkHeap(b *testing.B) {
	const prompts = 64
	spec := longSpec("prose")
	var before, after runtime.MemStats
	for b.Loop() {
		var held []any
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range prompts {
			p := newPrompt(b, testKey(byte(i)), spec)
			r := p.Reader()
			io.CopyN(new(bytes.Buffer), r, 100_000)
			held = append(held, p, r)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(held)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/prompts, "B/prompt")
}
