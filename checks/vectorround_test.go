package checks_test

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// Prompts of vectors are made under two fixed fleet keys, so that a vector can
// name a marker by its number and stay readable: ours, and a stranger's.
const (
	vectorKey   = "crosstalk test vectors, key no 1"
	strangerKey = "crosstalk test vectors, key no 2"
)

// vectorCodec returns the codec of a fixed key of 32 characters.
func vectorCodec(key string) (*tenants.Codec, error) {
	k, err := tenants.ParseFleetKey(base64.StdEncoding.EncodeToString([]byte(key)))
	if err != nil {
		return nil, err
	}
	return tenants.NewCodec(k), nil
}

// mintFixed makes the prompt of a request at a fixed second: the first draw
// whose markers are all usable.
func mintFixed(c *tenants.Codec, tenant uint16, second uint32, spec corpus.Spec) (tenants.Payload, *corpus.Prompt, error) {
	var err error
	for draw := range uint16(1 << 12) {
		p := tenants.Payload{Tenant: tenant, Second: second, Draw: draw}
		prompt, e := c.Prompt(p, spec)
		if e == nil {
			return p, prompt, nil
		}
		err = e
	}
	return tenants.Payload{}, nil, err
}

// world is a vector turned into values.
type world struct {
	codec   *tenants.Codec
	prompts map[string]*corpus.Prompt // by the name placeholders use
	texts   map[string]string         // whole prompts, read when first asked for
	in      *checks.Input
}

// vectorStart is when the rounds of vectors took place.
var vectorStart = tenants.Epoch.Add(200 * 24 * time.Hour)

func (v *vector) build() (*checks.Input, error) {
	codec, err := vectorCodec(vectorKey)
	if err != nil {
		return nil, err
	}
	w := &world{
		codec: codec, prompts: map[string]*corpus.Prompt{}, texts: map[string]string{},
		in: &checks.Input{Codec: codec, Round: &probes.Round{
			ID: vectorID(0), Started: vectorStart, Ended: vectorStart.Add(time.Minute),
		}},
	}
	if w.in.Baseline, err = v.baseline(); err != nil {
		return nil, err
	}
	if s := v.round["codec"]; len(s) > 0 && s[0] == "none" {
		w.in.Codec = nil
	}
	w.in.Round.Plan = probes.Plan{Probe: v.probe(), Target: "vector"}
	for _, e := range v.exchanges {
		x, err := w.bind(v, e)
		if err != nil {
			return nil, fmt.Errorf("exchange %d: %w", e.number, err)
		}
		w.in.Round.Exchanges = append(w.in.Round.Exchanges, x)
	}
	if v.round["baseline.lost_seal"] != nil {
		w.in.Baseline.LostSeal = map[probes.Cell]bool{}
		for _, x := range w.in.Round.Exchanges {
			w.in.Baseline.LostSeal[x.Intent.Cell] = true
		}
	}
	if err := w.mintBystanders(); err != nil {
		return nil, err
	}
	for i, e := range v.exchanges {
		if err := w.answer(w.in.Round.Exchanges[i], e); err != nil {
			return nil, fmt.Errorf("exchange %d: %w", e.number, err)
		}
	}
	return w.in, nil
}

func (v *vector) probe() string {
	if s := v.round["probe"]; len(s) > 0 {
		return s[0]
	}
	return "pulse"
}

func vectorID(n int) uuid.UUID {
	return uuid.UUID{0x01, 0x97, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, byte(n >> 8), byte(n)}
}

func (v *vector) baseline() (checks.Baseline, error) {
	b := checks.Baseline{}
	for key, values := range v.round {
		var err error
		switch value := values[0]; key {
		case "baseline.prefill":
			b.Prefill, err = strconv.ParseFloat(value, 64)
		case "baseline.limit":
			b.Limit, err = strconv.Atoi(value)
		case "baseline.calibration":
			b.Calibration, err = calibration(value)
		case "baseline.model":
			b.Model = value
		case "baseline.id":
			b.IDs = map[string]uuid.UUID{}
			for i, id := range values {
				b.IDs[id] = vectorID(1000 + i)
			}
		}
		if err != nil {
			return b, fmt.Errorf("%s: %w", key, err)
		}
	}
	return b, nil
}

// calibration reads "tokens-per-byte [spread [overhead]]", for every family.
func calibration(s string) (map[string]corpus.Calibration, error) {
	c := corpus.Calibration{N: 100, Spread: 0.005}
	for i, f := range strings.Fields(s) {
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil, err
		}
		switch i {
		case 0:
			c.PerByte = n
		case 1:
			c.Spread = n
		case 2:
			c.Overhead = n
		}
	}
	m := map[string]corpus.Calibration{}
	for _, f := range corpus.Families() {
		m[f.Name] = c
	}
	return m, nil
}

// bind makes the exchange of e with its intent and prompt, without an answer.
func (w *world) bind(v *vector, e *vectorExchange) (*probes.Exchange, error) {
	n := &numbers{e: e}
	x := &probes.Exchange{
		ID: vectorID(e.number), Started: vectorStart, Skipped: e.get("skipped"),
		Tenant: uint16(n.int("tenant", 1)),
		Intent: probes.Intent{
			Role: probes.RoleMain, MaxTokens: n.int("max_tokens", 0), Stream: n.bool("stream", false),
		},
	}
	if n.bool("recorded", false) {
		x.Tenant = 0
		return x, n.err
	}
	x.Intent.Tenant = fmt.Sprintf("tenant-%d", x.Tenant)
	x.Intent.MaxTokens = n.int("max_tokens", 512)
	x.Intent.Limit = n.int("window", 0)
	x.Intent.Expect = probes.ExpectAnswer
	if s := e.get("expect-length"); s != "" {
		x.Intent.Expect = probes.Expect(s)
	}
	if s := e.get("role"); s != "" {
		x.Intent.Role = probes.Role(s)
	}
	x.Intent.Spec = specOf(e, n)
	x.Intent.Cell = probes.Cell{
		Target: "vector", Probe: v.probe(), Length: e.get("length"),
		Warm: x.Intent.Spec.Prefix != nil, Stream: x.Intent.Stream,
	}
	if n.err != nil {
		return nil, n.err
	}
	second := uint32(vectorStart.Sub(tenants.Epoch).Seconds()) + uint32(e.number)
	payload, prompt, err := mintFixed(w.codec, x.Tenant, second, x.Intent.Spec)
	if err != nil {
		return nil, err
	}
	x.Payload, x.Prompt = payload, prompt
	w.prompts[strconv.Itoa(e.number)] = prompt
	return x, w.predict(x, prompt, e)
}

// recordedPrompt is what inspect knows of the prompt of a recorded exchange: at
// most its text and the right answer.
func recordedPrompt(e *vectorExchange, files map[string]string) probes.Prompt {
	if !e.hasFile("prompt") && !e.hasFile("answer") {
		return nil
	}
	return corpus.Text{
		Prompt: files["prompt"], Answer: files["answer"], Kind: corpus.Task(e.get("recorded-task")),
	}
}

// specOf reads the prompt of an exchange: 40 sentences and 5 seals of the first
// family, unless it says otherwise.
func specOf(e *vectorExchange, n *numbers) corpus.Spec {
	s := corpus.Spec{
		Version: corpus.Version, Family: "code",
		Task: corpus.TaskSeals, Dress: corpus.DressWords,
		Sentences: n.int("sentences", 40), Seals: n.int("seals", 5), Ask: n.int("ask", 0),
		Facts: n.int("facts", 0),
	}
	if f := e.get("family"); f != "" {
		s.Family = f
	}
	if task := e.get("task"); task != "" {
		s.Task = corpus.Task(task)
	}
	if d := e.get("dress"); d != "" {
		s.Dress = corpus.Dress(d)
	}
	if s.Task == corpus.TaskEcho {
		s.Seals = n.int("seals", 1)
	}
	if n.bool("warm", false) {
		f, _ := corpus.LookupFamily(s.Family)
		s.Prefix = &corpus.Prefix{Key: corpus.Key{1}, Sentences: 2 * f.PageSentences}
		s.Sentences += s.Prefix.Sentences
	}
	if tokens := n.int("tokens", 0); tokens > 0 {
		s.Sentences = corpus.Sentences(s, corpus.Prior().Bytes(tokens))
	}
	return s
}

// predict sets the predicted length of x, from its size or as "low mid high".
func (w *world) predict(x *probes.Exchange, prompt *corpus.Prompt, e *vectorExchange) error {
	c, ok := w.in.Baseline.Calibration[x.Intent.Spec.Family]
	if !ok {
		c = corpus.Prior()
	}
	i := &x.Intent
	i.TokensLow, i.Tokens, i.TokensHigh = c.Tokens(prompt.Size())
	if s := e.get("predicted"); s != "" {
		if _, err := fmt.Sscan(s, &i.TokensLow, &i.Tokens, &i.TokensHigh); err != nil {
			return fmt.Errorf("predicted: %w", err)
		}
	}
	return nil
}

// mintBystanders makes the prompts that answers may quote besides those of the
// round: old and other stand in the look-back, lost is ours but nowhere
// recorded, and stranger was made under another fleet key.
func (w *world) mintBystanders() error {
	first := w.in.Round.Exchanges[0]
	spec := first.Intent.Spec
	if spec.Family == "" { // recorded: any prompt will do
		spec = specOf(&vectorExchange{number: 1}, &numbers{e: &vectorExchange{}})
	}
	stranger, err := vectorCodec(strangerKey)
	if err != nil {
		return err
	}
	before := uint32(vectorStart.Sub(tenants.Epoch).Seconds()) - 600
	for i, b := range []struct {
		name     string
		codec    *tenants.Codec
		tenant   uint16
		lookback bool
	}{
		{"old", w.codec, max(first.Tenant, 1), true},
		{"other", w.codec, 77, true},
		{"lost", w.codec, 78, false},
		{"stranger", stranger, 79, false},
	} {
		payload, prompt, err := mintFixed(b.codec, b.tenant, before+uint32(i), spec)
		if err != nil {
			return err
		}
		w.prompts[b.name] = prompt
		if b.lookback {
			w.in.Lookback = append(w.in.Lookback, checks.PromptRef{
				Exchange: vectorID(500 + i), Payload: payload, Spec: spec,
			})
		}
	}
	return nil
}

// answer gives x its response: parsed from a raw body where the vector has
// one, put together from the plain fields otherwise.
func (w *world) answer(x *probes.Exchange, e *vectorExchange) error {
	if x.Skipped != "" {
		return nil
	}
	files := map[string]string{}
	for name, text := range e.files {
		s, err := w.expand(text, x, e)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		files[name] = s
	}
	n := &numbers{e: e}
	if n.bool("recorded", false) {
		x.Prompt = recordedPrompt(e, files)
	}
	var err error
	if x.Response, err = rawResponse(files, n); err != nil {
		return err
	}
	if x.Response == nil {
		if x.Response, err = w.plainResponse(x, e, files, n); err != nil {
			return err
		}
	}
	t := &x.Response.Times
	t.Started = x.Started
	for key, d := range map[string]*time.Duration{
		"wrote_ms": &t.Wrote, "first_content_ms": &t.FirstContent,
		"last_content_ms": &t.LastContent, "end_ms": &t.End,
	} {
		if e.has(key) {
			*d = time.Duration(n.int(key, 0)) * time.Millisecond
		}
	}
	return n.err
}
