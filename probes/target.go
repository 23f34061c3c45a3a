package probes

import (
	"time"

	"crosstalk/corpus"
)

// Target is one model behind one endpoint, as far as probes know it.
type Target struct {
	Name      string
	API       string
	Model     string
	Window    int  // tokens, as advertised
	MaxOutput int  // tokens the target may be asked for; 0: DefaultMaxOutput
	Loopback  bool // on this machine: needs no authorization
	Authorization
	Pricing Pricing
	// Family and Dress and Task override the probes' choice of filler, dress
	// and task: small or unusual models need it. Empty: the probe decides.
	Family string
	// Families are those that take turns where Family is "". Empty: all.
	Families   []string
	Dress      corpus.Dress
	Task       corpus.Task
	NoLocators bool
	// Facts is the number of named facts in a prompt (corpus.Fact).
	Facts int
}

// DefaultMaxOutput is what a target may be asked for, in tokens, when its
// configuration does not say.
const DefaultMaxOutput = 512

// maxOutput is the cap on the answer of any prompt to t.
func (t Target) maxOutput() int {
	if t.MaxOutput > 0 {
		return t.MaxOutput
	}
	return DefaultMaxOutput
}

// Basis says who allowed a target to be probed.
type Basis string

const (
	BasisOwner    Basis = "owner"
	BasisContract Basis = "contract"
	BasisConsent  Basis = "provider-consent"
	BasisCustomer Basis = "customer"
)

// Authorization is the stated permission to probe a target.
type Authorization struct {
	Basis     Basis
	Reference string
	Contact   string
	Expires   time.Time
}

// Pricing is in USD per million tokens.
type Pricing struct{ Input, CachedInput, Output float64 }
