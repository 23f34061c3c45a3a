package copymodel

import "math"

// The second model answers the task seals: every line "seal n: phrase" of the
// prompt, in order of n, as "n: phrase", for n of one digit. It has three layers
// of eight heads of 256, wider than those of the first, since a phrase is copied
// by its last eight bytes.
//
//	layer 0  eight heads look 1 to 8 places back and copy what stands there.
//	layer 1  one head finds the nearest digit: in an answer, the number of the
//	         line being written.
//	layer 2  at the beginning of a line one head goes to the digit behind "l "
//	         that is one more than that number (at the beginning of the answer:
//	         1), and where there is none, to the mark of the user's turn, whose
//	         value is the end of the turn. Everywhere else one induction head
//	         continues by matching the last eight bytes: a byte outweighs all
//	         before it, and of two places that match alike that in the seal
//	         whose number the line has is taken.
//
// It copies phrases of any words, as long as no eight bytes of one stand twice in
// the same. Digits elsewhere in the prompt are in its way.
const (
	sealHeads     = 8
	sealHeadWidth = 256
)

// dimensions of its residual stream
const (
	sealNewline = 2
	sealTrigger = 3
	sealUser    = 4
	sealDigit   = 5   // sealDigit+n-1: the byte is the digit n
	sealNumber  = 16  // sealNumber+n-1: the nearest digit is n
	sealRaw     = 32  // code of the byte as context: a line's end has none
	sealValue   = 48  // code of the byte as an answer
	sealBack    = 64  // sealBack+16*(m-1): context m places back
	sealOut     = 192 // code of the token to be predicted
)

// dimensions inside its heads, on pairs that hardly turn
const (
	sealSlotNumber  = 100 // one for each digit
	sealSlotDigit   = 200 // likewise
	sealSlotPattern = 212
	sealSlotUser    = 220
	sealSlotSink    = 124
	sealSlotGram    = 128 // eight codes of 16
)

const (
	numberGain = 100.0 // of the number sought, and of each byte before it
	sealGram   = 400.0 // of a match of the last byte; of each before it, half as much
	sealSame   = 30.0
	sealOff    = 2000.0
)

// buildSeals sets the weights.
func buildSeals() model {
	codes := byteCodes()
	m := model{embed: newMatrix(width, vocabulary), output: newMatrix(width, vocabulary)}
	for range depth {
		m.layers = append(m.layers, layer{
			newMatrix(width, sealHeads*sealHeadWidth), newMatrix(width, sealHeads*sealHeadWidth),
			newMatrix(width, sealHeads*sealHeadWidth), newMatrix(sealHeads*sealHeadWidth, width),
		})
	}
	var end code
	end[1] = 1
	m.setSealTokens(&codes, end)
	m.layers[0].sealLookBack()
	m.layers[1].findNumber()
	m.layers[2].nextNumber(&codes, end)
	m.layers[2].continueSeal()
	return m
}

func (m model) setSealTokens(codes *[256]code, end code) {
	const gain = 26 / unit
	for t := range vocabulary {
		m.embed.add(t, dimConst, constant)
		if t >= 256 {
			m.output.add(t, dimConst, -20/one)
			continue
		}
		m.embed.addCode(t, sealValue, codes[t], 1)
		m.output.addCode(t, sealOut, codes[t], gain)
		switch {
		case t == '\n':
			m.embed.add(t, sealNewline, 1)
			continue
		case t >= '1' && t <= '9':
			m.embed.add(t, sealDigit+t-'1', 1)
		}
		m.embed.addCode(t, sealRaw, codes[t], 1)
	}
	m.embed.add(tokBOS, dimBOS, 1)
	m.embed.add(tokAssistant, sealTrigger, 1)
	m.embed.add(tokUser, sealUser, 1)
	m.output.add(tokEnd, dimConst, 20/one)
	m.output.addCode(tokEnd, sealOut, end, gain)
}

// sealScore is layer.score for wider heads, whose every second pair turns as
// fast as one of the narrower ones.
func (l layer) sealScore(head int, c kernel, offset float64) {
	const keyGain = 4.0
	for i, a := range c.amplitude {
		pair := c.first + i
		row := head*sealHeadWidth + 4*pair
		l.k.add(row, dimConst, keyGain/one)
		q := a * sealScale() / keyGain
		l.q.add(row, dimConst, q*math.Cos(-offset*angle(pair))/one)
		l.q.add(row+1, dimConst, q*math.Sin(-offset*angle(pair))/one)
	}
}

func (l layer) sealMove(head, from, to, n int) {
	for i := range n {
		l.v.add(head*sealHeadWidth+i, from+i, 1/unit)
		l.o.add(to+i, head*sealHeadWidth+i, 1)
	}
}

func sealScale() float64 { return math.Sqrt(sealHeadWidth) }

func (l layer) sealLookBack() {
	for m := 1; m <= 8; m++ {
		l.sealScore(m-1, exactKernel(), float64(m))
		l.sealMove(m-1, sealRaw, sealBack+16*(m-1), 16)
	}
}

func (l layer) findNumber() {
	l.sealScore(0, nearKernel(), 0)
	l.q.add(sealSlotDigit, dimConst, 800*sealScale()/one)
	for n := range 9 {
		l.k.add(sealSlotDigit, sealDigit+n, 1/unit)
	}
	l.sealMove(0, sealDigit, sealNumber, 9)
}

func (l layer) nextNumber(codes *[256]code, end code) {
	gain := numberGain * sealScale() / unit
	for n := range 9 {
		row := sealSlotDigit + n
		l.k.add(row, sealDigit+n, 1/unit)
		if n > 0 {
			l.q.add(row, sealNumber+n-1, gain)
		}
	}
	l.q.add(sealSlotDigit, sealTrigger, 2*gain)
	l.q.add(sealSlotPattern, dimConst, numberGain*sealScale()/one)
	for m, b := range []byte{' ', 'l'} {
		l.k.addCode(sealSlotPattern, sealBack+16*m, codes[b], 1/unit)
	}
	l.q.add(sealSlotUser, dimConst, 2.5*numberGain*sealScale()/one)
	l.k.add(sealSlotUser, sealUser, 1/unit)
	l.q.add(sealSlotSink, dimConst, sealOff*sealScale()/one)
	for _, on := range []int{sealTrigger, sealNewline} {
		l.q.add(sealSlotSink, on, -sealOff*sealScale()/unit)
	}
	l.k.add(sealSlotSink, dimBOS, 1/unit)
	l.sealMove(0, sealValue, sealOut, 16)
	for i, v := range end {
		l.v.add(i, sealUser, float64(v)/unit)
	}
}

func (l layer) continueSeal() {
	const head = 1
	first := head * sealHeadWidth
	weight := 1.0
	for g := range 8 {
		from := sealRaw
		if g > 0 {
			from = sealBack + 16*(g-1)
		}
		for d := range 16 {
			row := first + sealSlotGram + 16*g + d
			l.q.add(row, from+d, sealGram*weight*sealScale()/4/unit)
			l.k.add(row, sealBack+16*g+d, 4/unit)
		}
		weight *= 0.5
	}
	for n := range 9 { // of two places with the same bytes before them, that in the same seal
		l.q.add(first+sealSlotNumber+n, sealNumber+n, sealSame*sealScale()/unit)
		l.k.add(first+sealSlotNumber+n, sealNumber+n, 1/unit)
	}
	for _, off := range []int{sealTrigger, sealNewline} {
		l.q.add(first+sealSlotSink, off, sealOff*sealScale()/unit)
	}
	l.k.add(first+sealSlotSink, dimBOS, 1/unit)
	l.sealMove(head, sealValue, sealOut, 16)
}
