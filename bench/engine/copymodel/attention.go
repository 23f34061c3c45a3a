package copymodel

import "math"

// kernel is a sum of cosines by RoPE pair: amplitude[i] is that of pair first+i.
// As the score of a head it is a function of the distance between two positions
// alone.
type kernel struct {
	first     int
	amplitude []float64
}

// angle is what RoPE turns pair k by per position.
func angle(k int) float64 { return math.Pow(ropeBase, -2*float64(k)/headWidth) }

// at is the kernel's score at a distance.
func (c kernel) at(distance float64) float64 {
	sum := 0.0
	for i, a := range c.amplitude {
		sum += a * math.Cos(distance*angle(c.first+i))
	}
	return sum
}

// exactKernel peaks at distance 0 and is far lower at every other.
func exactKernel() kernel {
	c := kernel{amplitude: make([]float64, 16)}
	for i := range c.amplitude {
		c.amplitude[i] = 30
	}
	return c
}

// nearKernel falls by about 3 for every place up to 80 places back, then
// slowly. Its amplitudes were found by least squares.
func nearKernel() kernel {
	return scaled(0, 1.5, -0.26, 0.36, 0.25, 0.56, 0.75, 3.5, 3.68, 12.19, 26.98, 30.72, 30.41, 32.73, 32.7,
		31.9, 31.96, 32.88, 33.37, 31.69, 36.78, 41.15, 30.46, 59.45, 2.91, 51.18, 38.97, 20.37)
}

// recentKernel falls as 8 ln(1 + distance/30). Its amplitudes were found by
// least squares.
func recentKernel() kernel {
	return scaled(4, 0.8, 0.09, 0.17, 0.34, 0.62, 1.1, 1.8, 2.52, 3.2, 3.72, 4.09, 4.38, 4.62, 4.75, 4.8,
		4.99, 5.05, 4.49, 4.69, 3.26, 1.71, 0.79, 0.35)
}

func scaled(first int, by float64, amplitude ...float64) kernel {
	for i := range amplitude {
		amplitude[i] *= by
	}
	return kernel{first, amplitude}
}

// score adds kernel(distance - offset) to the scores of a head, for queries by
// the feature dim: dimConst is on everywhere.
func (l layer) score(head int, c kernel, offset float64, dim int) {
	const keyGain = 4.0
	norm := unit
	if dim == dimConst {
		norm = one
	}
	for i, a := range c.amplitude {
		pair := c.first + i
		row := head*headWidth + 2*pair
		l.k.add(row, dimConst, keyGain/one)
		q := a * scale() / keyGain
		l.q.add(row, dim, q*math.Cos(-offset*angle(pair))/norm)
		l.q.add(row+1, dim, q*math.Sin(-offset*angle(pair))/norm)
	}
}

// lookBack is layer 0.
func (l layer) lookBack() {
	for m := 1; m <= 4; m++ {
		head := m - 1
		l.score(head, exactKernel(), float64(m), dimConst)
		l.move(head, 0, dimRaw, dimBack+16*(m-1), 16)
		l.move(head, 16, dimDelim, dimDelimBack+m, 1)
		l.move(head, 17, dimTrigger, dimTriggerBack+m, 1)
		l.move(head, 18, dimDigit, dimDigitsBack, 1)
	}
}

// findWordStart is layer 1: head m looks for the nearest position that has a
// delimiter m back and none nearer, and copies the byte that stands there.
func (l layer) findWordStart() {
	for m := 1; m <= 4; m++ {
		head := m - 1
		row := head*headWidth + slotDigit
		l.score(head, nearKernel(), 0, dimConst)
		l.q.add(row, dimConst, 500*scale()/one)
		l.k.add(row, dimDelimBack+m, 1/unit)
		for j := 1; j < m; j++ {
			l.k.add(row, dimDelimBack+j, -1/unit)
		}
		l.k.add(row, dimDelim, -1/unit)
		l.move(head, 0, dimValue, dimWord+16*(m-1), 16)
		if m == 1 {
			l.move(head, 16, dimTriggerBack+1, dimAnswerWord, 1)
		}
	}
}

const (
	codeGain = 60.0  // per digit of the word looked for
	gramGain = 40.0  // of a match of the last four bytes
	sinkGain = 600.0 // sends a head that is off to the first token, whose value is zero
)

// answerDims are on at the first, second, third and fourth position of the
// answer.
func answerDims() []int {
	return []int{dimTrigger, dimTriggerBack + 1, dimTriggerBack + 2, dimTriggerBack + 3}
}

// fetchCode is the first half of layer 2.
func (l layer) fetchCode(codes *[256]code) {
	for i, on := range answerDims() {
		head := i
		digit, sink, fall := head*headWidth+slotDigit, head*headWidth+slotSink, head*headWidth+slotFall
		l.score(head, recentKernel(), 0, on)
		l.q.add(digit, on, codeGain*scale()/unit)
		l.k.add(digit, dimDigit, 1/unit/digitUnit)
		l.k.add(digit, dimDigitsBack, 1/unit/digitUnit)
		for _, dim := range []int{dimDelimBack + 1, dimDelimBack + 2, dimDelimBack + 3, dimDelim} {
			l.k.add(digit, dim, -0.7/unit)
		}
		for _, dim := range append(answerDims(), dimTriggerBack+4) {
			l.k.add(digit, dim, -10/unit) // not the answer itself
		}
		l.q.add(sink, dimConst, sinkGain*scale()/one)
		l.q.add(sink, on, -sinkGain*scale()/unit)
		l.k.add(sink, dimBOS, 1/unit)
		// No word is a code: the user's mark scores more than any, and its
		// value is the fallback.
		l.q.add(fall, on, (1.2+4*0.7)*codeGain*scale()/unit)
		l.k.add(fall, dimUser, 1/unit)
		for d, v := range codes[fallback[i]] {
			l.v.add(head*headWidth+d, dimUser, 3*float64(v)/unit)
		}
		l.move(head, 0, dimWord+16*i, dimOut, 16)
	}
}

// induce is the second half of layer 2: head 4 within the answer's first word,
// where a delimiter is the end of the turn, head 5 anywhere else.
func (l layer) induce() {
	const inAnswer, elsewhere = 4, 5
	for _, head := range []int{inAnswer, elsewhere} {
		l.matchGram(head)
		sink := head*headWidth + slotSink
		for _, on := range answerDims() {
			l.q.add(sink, on, sinkGain*scale()/unit)
		}
		l.k.add(sink, dimBOS, 1/unit)
		if head == elsewhere {
			l.q.add(sink, dimAnswerWord, sinkGain*scale()/unit)
			l.move(head, 0, dimRaw, dimOut, 16)
			continue
		}
		l.q.add(sink, dimConst, sinkGain*scale()/one)
		l.q.add(sink, dimAnswerWord, -sinkGain*scale()/unit)
		digit := head*headWidth + slotDigit
		l.q.add(digit, dimConst, 2*scale()/one)
		l.k.add(digit, dimDigit, 1/unit/digitUnit)
		l.k.add(digit, dimDigitsBack, 1/unit/digitUnit)
		l.move(head, 0, dimValue, dimOut, 16)
	}
}

// matchGram scores positions by how many of the four bytes before them are the
// last four bytes here, the nearest counting most.
func (l layer) matchGram(head int) {
	for g, weight := range []float64{1, .9, .8, .7} {
		from := dimRaw
		if g > 0 {
			from = dimBack + 16*(g-1)
		}
		for d := range 16 {
			row := head*headWidth + slotGram + 16*g + d
			l.q.add(row, from+d, gramGain*weight*scale()/4/unit)
			l.k.add(row, dimBack+16*g+d, 4/unit)
		}
	}
}
