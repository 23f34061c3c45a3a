package detect

import (
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/probes/provider/openaichat"
	"crosstalk/tenants"
)

// benchKey makes the prompts of the corpus. It is no secret: nothing is ever
// sent that was made with it.
const benchKey = "Y3Jvc3N0YWxrIGRldGVjdG9yIGJlbmNobWFyayBrZXk="

// Prompts of the corpus: some pages long, so that its answers are those of short
// probes and a passage of a page can be quoted.
const (
	sentences = 60
	seals     = 5
	tenantOwn = 3
	tenantBad = 77 // whose content leaks
)

// asked is a prompt with its text.
type asked struct {
	payload tenants.Payload
	spec    corpus.Spec
	prompt  *corpus.Prompt
	text    string
}

// world holds the prompts of the corpus: for each family and dress one of ours,
// one of another tenant, and an older one of our own.
type world struct {
	codec  *tenants.Codec
	client provider.Client
	sets   []set
}

// set is the prompts of one family and dress.
type set struct {
	own, other, old asked
}

func newWorld() (*world, error) {
	key, err := tenants.ParseFleetKey(benchKey)
	if err != nil {
		return nil, fmt.Errorf("detector corpus: %w", err)
	}
	client, err := openaichat.New(openaichat.Options{BaseURL: "http://127.0.0.1:1/v1"}) // it parses, and sends nothing
	if err != nil {
		return nil, fmt.Errorf("detector corpus: %w", err)
	}
	w := &world{codec: tenants.NewCodec(key), client: client}
	for i, f := range corpus.Families() {
		for j, d := range []corpus.Dress{corpus.DressWords, corpus.DressCode} {
			spec := corpus.Spec{
				Version: corpus.Version, Family: f.Name, Task: corpus.TaskSeals, Dress: d,
				Sentences: sentences, Seals: seals,
			}
			var s set
			for k, a := range []struct {
				to     *asked
				tenant uint16
			}{{&s.own, tenantOwn}, {&s.other, tenantBad}, {&s.old, tenantOwn}} {
				if *a.to, err = w.mint(a.tenant, uint32(1000+100*k+10*i+j), spec); err != nil {
					return nil, fmt.Errorf("detector corpus, family %s: %w", f.Name, err)
				}
			}
			w.sets = append(w.sets, s)
		}
	}
	return w, nil
}

// mint makes the prompt of a request: the first draw with usable markers.
func (w *world) mint(tenant uint16, second uint32, spec corpus.Spec) (asked, error) {
	var err error
	for draw := range uint16(1 << 12) {
		p := tenants.Payload{Tenant: tenant, Second: second, Draw: draw}
		var prompt *corpus.Prompt
		if prompt, err = w.codec.Prompt(p, spec); err != nil {
			continue
		}
		text, err := io.ReadAll(prompt.Reader())
		if err != nil {
			return asked{}, err
		}
		return asked{p, spec, prompt, string(text)}, nil
	}
	return asked{}, err
}

// sound is a right answer on its way to be transformed.
type sound struct {
	r      *rand.Rand
	client provider.Client
	w      *world
	set
	reply provider.Response
	// recorded: judged without the answer known, as a log is.
	recorded bool
	limit    int // max_tokens
	stream   bool
	number   int // of the case in its row, from 0
}

// newSound is the right answer to a prompt of the world, well formed.
func (w *world) newSound(r *rand.Rand) *sound {
	s := &sound{r: r, client: w.client, w: w, set: w.sets[r.IntN(len(w.sets))], limit: 4096}
	s.reply = provider.Response{Status: 200, Content: s.own.prompt.Expected(), FinishReason: "stop", Model: "model"}
	return s
}

// started is when the rounds of the corpus took place.
var started = tenants.Epoch.Add(200 * 24 * time.Hour)

func id(n int) uuid.UUID {
	return uuid.UUID{0x01, 0x97, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, byte(n >> 8), byte(n)}
}

// input is the round of one exchange, with the other prompts in the look-back.
func (s *sound) input(w *world) checks.Input {
	x := &probes.Exchange{ID: id(1), Started: started}
	_, tokens, _ := corpus.Prior().Tokens(s.own.prompt.Size())
	if s.recorded {
		x.Prompt = nil
	} else {
		x.Tenant, x.Payload, x.Prompt = s.own.payload.Tenant, s.own.payload, s.own.prompt
		x.Intent = probes.Intent{
			Role: probes.RoleMain, Spec: s.own.spec, Expect: probes.ExpectAnswer,
			MaxTokens: s.limit, Tokens: tokens, Stream: s.stream,
		}
		if s.reply.Usage == nil {
			s.reply.Usage = counts(tokens, len(s.reply.Content)/4+len(s.reply.Reasoning)/4+1)
		}
	}
	if s.reply.Body == nil {
		s.reply.Body = []byte(s.reply.Content)
	}
	x.Response = &s.reply
	return checks.Input{
		Codec:    w.codec,
		Baseline: checks.Baseline{Model: "model"},
		Round:    &probes.Round{ID: id(0), Started: started, Ended: started.Add(time.Minute), Exchanges: []*probes.Exchange{x}},
		Lookback: []checks.PromptRef{
			{Exchange: id(500), Payload: s.old.payload, Spec: s.old.spec},
			{Exchange: id(501), Payload: s.other.payload, Spec: s.other.spec},
		},
	}
}

// counts is a usage that adds up.
func counts(prompt, completion int) *provider.Usage {
	total := prompt + completion
	return &provider.Usage{Prompt: &prompt, Completion: &completion, Total: &total}
}
