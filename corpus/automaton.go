package corpus

// automaton is the suffix automaton of a sequence of word numbers (Blumer et
// al., 1985): it recognises every passage of it. A state stands for passages
// that end in the same places of the sequence; its link leads to the longest of
// their ends that ends in further places.
type automaton struct {
	states []state
	edges  []edge
	table  []int32 // open addressing: edge number + 1 by state and word
	last   int32   // state of the whole sequence
	// prefixes[i] is the state of the first i+1 words.
	prefixes []int32
}

type state struct {
	link   int32
	length int   // of the longest passage
	first  int32 // edge, -1 for none
}

type edge struct {
	from, word, to int32
	next           int32 // edge of the same state, -1 for none
}

// newAutomaton returns the automaton of the empty sequence with room for n
// words: at most 2n states and 3n edges.
func newAutomaton(n int) *automaton {
	a := &automaton{
		states:   make([]state, 1, 2*n+1),
		edges:    make([]edge, 0, 3*n),
		table:    make([]int32, tableSize(3*n)),
		prefixes: make([]int32, 0, n),
	}
	a.states[0] = state{link: -1, first: -1}
	return a
}

// tableSize is the power of two that is at least twice n.
func tableSize(n int) int {
	size := 8
	for size < 2*n {
		size *= 2
	}
	return size
}

// step follows word from a state that is reached by a passage of length words,
// and returns the longest passage that ends with word.
func (a *automaton) step(s int32, length int, word int32) (int32, int) {
	for {
		if e := a.edge(s, word); e >= 0 {
			return a.edges[e].to, length + 1
		}
		if s == 0 {
			return 0, 0
		}
		s = a.states[s].link
		length = a.states[s].length
	}
}

// edge is the number of the edge from s with word, -1 if there is none.
func (a *automaton) edge(s, word int32) int32 {
	mask := len(a.table) - 1
	for i := slotOf(s, word) & mask; a.table[i] != 0; i = (i + 1) & mask {
		if e := &a.edges[a.table[i]-1]; e.from == s && e.word == word {
			return a.table[i] - 1
		}
	}
	return -1
}

func slotOf(s, word int32) int {
	return int((uint64(s)<<32 | uint64(word)) * 0x9e3779b97f4a7c15 >> 32)
}

func (a *automaton) addEdge(from, word, to int32) {
	mask := len(a.table) - 1
	i := slotOf(from, word) & mask
	for a.table[i] != 0 {
		i = (i + 1) & mask
	}
	a.edges = append(a.edges, edge{from, word, to, a.states[from].first})
	a.states[from].first = int32(len(a.edges) - 1)
	a.table[i] = int32(len(a.edges))
}

func (a *automaton) addState(length int) int32 {
	a.states = append(a.states, state{length: length, first: -1})
	return int32(len(a.states) - 1)
}

// extend appends a word to the sequence.
func (a *automaton) extend(word int32) {
	added := a.addState(a.states[a.last].length + 1)
	s := a.last
	for ; s >= 0 && a.edge(s, word) < 0; s = a.states[s].link {
		a.addEdge(s, word, added)
	}
	if s >= 0 {
		a.states[added].link = a.split(s, word)
	}
	a.last = added
	a.prefixes = append(a.prefixes, added)
}

// split makes sure that the passages of s with word behind them have a state of
// their own, and returns it.
func (a *automaton) split(s, word int32) int32 {
	to := a.edges[a.edge(s, word)].to
	if a.states[to].length == a.states[s].length+1 {
		return to
	}
	clone := a.addState(a.states[s].length + 1)
	a.states[clone].link = a.states[to].link
	a.states[to].link = clone
	for e := a.states[to].first; e >= 0; e = a.edges[e].next {
		a.addEdge(clone, a.edges[e].word, a.edges[e].to)
	}
	for ; s >= 0; s = a.states[s].link {
		e := a.edge(s, word)
		if a.edges[e].to != to {
			break
		}
		a.edges[e].to = clone
	}
	return clone
}

// byLength returns the states, all but the first, shortest first: each behind
// the one its link leads to.
func (a *automaton) byLength() []int32 {
	count := make([]int32, len(a.prefixes)+2)
	for _, s := range a.states[1:] {
		count[s.length+1]++
	}
	for i := 1; i < len(count); i++ {
		count[i] += count[i-1]
	}
	order := make([]int32, len(a.states)-1)
	for i, s := range a.states[1:] {
		order[count[s.length]] = int32(i + 1)
		count[s.length]++
	}
	return order
}

// vocabulary numbers words from 1.
type vocabulary struct {
	words []string
	table []int32 // open addressing: word number, 0 for none
}

func newVocabulary(n int) vocabulary {
	return vocabulary{words: []string{""}, table: make([]int32, tableSize(n))}
}

// hashSeed and hashByte are FNV-1a.
const hashSeed = 0xcbf29ce484222325

func hashByte(hash uint64, c byte) uint64 { return (hash ^ uint64(c)) * 0x100000001b3 }

func (v *vocabulary) slot(hash uint64) int { return int(hash>>32) & (len(v.table) - 1) }

func hashOf(word string) uint64 {
	hash := uint64(hashSeed)
	for i := range len(word) {
		hash = hashByte(hash, word[i])
	}
	return hash
}

// find is the number of word, 0 if it has none.
func find[W string | []byte](v *vocabulary, hash uint64, word W) int32 {
	for i := v.slot(hash); ; i = (i + 1) & (len(v.table) - 1) {
		if n := v.table[i]; n == 0 || v.words[n] == string(word) {
			return n
		}
	}
}

// number is the number of word, a new one if it has none.
func (v *vocabulary) number(word string) int32 {
	hash := hashOf(word)
	if n := find(v, hash, word); n != 0 {
		return n
	}
	i := v.slot(hash)
	for v.table[i] != 0 {
		i = (i + 1) & (len(v.table) - 1)
	}
	v.words = append(v.words, word)
	v.table[i] = int32(len(v.words) - 1)
	return v.table[i]
}
