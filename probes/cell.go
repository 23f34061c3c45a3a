package probes

// Cell is where an exchange counts: rates, bounds and coverage are per cell.
type Cell struct {
	Target      string `json:"target"`
	Probe       string `json:"probe"`
	Length      string `json:"length"`      // band, see LengthBand
	Concurrency string `json:"concurrency"` // band, see ConcurrencyBand
	Warm        bool   `json:"warm"`
	Stream      bool   `json:"stream"`
}

// The length bands. Their names are stable: they label metrics and key the
// statistics of the ledger.
const (
	Band4k     = "<=4k"
	Band32k    = "<=32k"
	Band128k   = "<=128k"
	Band256k   = "<=256k"
	Band512k   = "<=512k"
	BandLong   = ">512k"
	BandWindow = "window" // the last eighth of the advertised window
	BandOver   = "over"   // above the advertised window
)

// LengthBand is the band of a prompt of so many tokens on a target that
// advertises that window (0: unknown). k is 1,024.
//
// The last eighth of the window is a band of its own, whatever the window,
// because that is where limits that disagree come apart; the rest of a window
// above 512k is not mixed with it.
func LengthBand(tokens, window int) string {
	const k = 1 << 10
	switch {
	case window > 0 && tokens > window:
		return BandOver
	case window > 0 && tokens > window-window/8:
		return BandWindow
	case tokens <= 4*k:
		return Band4k
	case tokens <= 32*k:
		return Band32k
	case tokens <= 128*k:
		return Band128k
	case tokens <= 256*k:
		return Band256k
	case tokens <= 512*k:
		return Band512k
	default:
		return BandLong
	}
}

// ConcurrencyBand is the band of a step of n exchanges released together: "1",
// "2-8", "9-32" or "33+".
func ConcurrencyBand(n int) string {
	switch {
	case n <= 1:
		return "1"
	case n <= 8:
		return "2-8"
	case n <= 32:
		return "9-32"
	default:
		return "33+"
	}
}
