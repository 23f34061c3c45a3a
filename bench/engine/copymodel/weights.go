package copymodel

import "math"

// shape of the model
const (
	width        = 256 // of the residual stream
	heads        = 6
	headWidth    = 128
	depth        = 3
	forwardWidth = 32
	ropeBase     = 1e12
)

// Every token carries a large constant feature, so that RMSNorm divides by
// nearly the same number everywhere: unit is what a feature of 1 becomes, one
// what the constant becomes.
const (
	constant = 64.0
	unit     = 0.2498
	one      = constant * unit
)

// dimensions of the residual stream
const (
	dimConst   = 0
	dimBOS     = 1
	dimDelim   = 2
	dimDigit   = 3 // how code-like the byte itself is
	dimTrigger = 4 // the mark that begins the answer
	// dimDelimBack+m, m = 1 to 4: the token m back is a delimiter; likewise
	// dimTriggerBack for the trigger.
	dimDelimBack   = 4
	dimTriggerBack = 8
	dimDigitsBack  = 13 // how code-like the last four bytes are
	dimAnswerWord  = 14 // the current word began right after the trigger
	dimUser        = 15
	dimRaw         = 32  // code of the byte itself
	dimValue       = 48  // the same, or "end of turn" for a delimiter
	dimBack        = 64  // dimBack+16*(m-1): code of the token m back
	dimWord        = 128 // dimWord+16*(m-1): m-th byte of the current word
	dimOut         = 192 // code of the token to be predicted
)

// dimensions inside a head, on the slowest RoPE pairs, which hardly turn
const (
	slotFall  = 58
	slotDigit = 60
	slotSink  = 62
	slotGram  = 64 // four codes of 16
)

const (
	digitUnit = 0.3    // dimDigit of a digit
	fallback  = "So, " // how an answer begins when the prompt has no code
)

// matrix is one weight matrix, row by row of its output.
type matrix struct {
	in, out int
	w       []float32
}

func newMatrix(in, out int) *matrix { return &matrix{in, out, make([]float32, in*out)} }

func (m *matrix) add(out, in int, v float64) { m.w[out*m.in+in] += float32(v) }

// addCode adds scale times a code to 16 inputs of one output row.
func (m *matrix) addCode(row, at int, c code, scale float64) {
	for i, v := range c {
		m.add(row, at+i, float64(v)*scale)
	}
}

type layer struct{ q, k, v, o *matrix }

type model struct {
	embed, output *matrix
	layers        []layer
}

func build() model {
	codes := byteCodes()
	m := model{embed: newMatrix(width, vocabulary), output: newMatrix(width, vocabulary)}
	for range depth {
		m.layers = append(m.layers, layer{
			newMatrix(width, heads*headWidth), newMatrix(width, heads*headWidth),
			newMatrix(width, heads*headWidth), newMatrix(heads*headWidth, width),
		})
	}
	m.setTokens(&codes)
	m.layers[0].lookBack()
	m.layers[1].findWordStart()
	m.layers[2].fetchCode(&codes)
	m.layers[2].induce()
	return m
}

// setTokens sets what each token is when it is read, and what predicts it.
func (m model) setTokens(codes *[256]code) {
	const gain = 26 / unit
	var end code
	end[1] = 1 // as far from every code as they are from each other
	for t := range vocabulary {
		m.embed.add(t, dimConst, constant)
		if t < 256 {
			m.setByte(byte(t), codes[t], end, gain)
			continue
		}
		m.embed.add(t, dimDelim, 1)
		if t == tokBOS {
			m.embed.add(t, dimBOS, 1)
		} else {
			m.embed.addCode(t, dimValue, end, 1)
			m.embed.addCode(t, dimRaw, codes[' '], 1)
		}
		switch t {
		case tokAssistant:
			m.embed.add(t, dimTrigger, 1)
		case tokUser:
			m.embed.add(t, dimUser, 1)
		}
		if t == tokEnd {
			m.output.addCode(t, dimOut, end, gain)
		} else {
			m.output.add(t, dimConst, -20/one) // never predicted
		}
	}
}

func (m model) setByte(b byte, c, end code, gain float64) {
	t := int(b)
	m.embed.add(t, dimDigit, codeLikeness(b))
	m.embed.addCode(t, dimRaw, c, 1)
	m.output.addCode(t, dimOut, c, gain)
	if delimiter(b) {
		m.embed.add(t, dimDelim, 1)
		m.embed.addCode(t, dimValue, end, 1)
		return
	}
	m.embed.addCode(t, dimValue, c, 1)
}

// delimiter reports whether b ends a word.
func delimiter(b byte) bool {
	switch b {
	case '"', '\'', '`', '.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '<', '>', '*', '|', '=', '/', '\\':
		return true
	}
	return b <= ' '
}

// codeLikeness is how much a byte suggests that its word is a code.
func codeLikeness(b byte) float64 {
	switch {
	case b >= '0' && b <= '9':
		return digitUnit
	case b >= 'A' && b <= 'Z':
		return 0.3 * digitUnit
	case b == '-' || b == '_':
		return 0.4 * digitUnit
	}
	return 0
}

// move copies n features of the attended position into the residual stream.
func (l layer) move(head, slot, from, to, n int) {
	for i := range n {
		l.v.add(head*headWidth+slot+i, from+i, 1/unit)
		l.o.add(to+i, head*headWidth+slot+i, 1)
	}
}

// scale undoes the division by sqrt(headWidth) in attention scores.
func scale() float64 { return math.Sqrt(headWidth) }
