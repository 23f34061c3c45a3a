package simulator

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestPoolOrder(t *testing.T) {
	tests := []struct {
		reuse Reuse
		want  []int32 // the pages of a third request, after [0 1 2] and [3 4] were freed
	}{
		{ReuseLIFO, []int32{3, 4, 0, 1}},
		{ReuseFIFO, []int32{5, 6, 7, 0}},
		{ReuseOff, []int32{5, 6, 7, 0}},
	}
	for _, tt := range tests {
		p := newPool(8*pageTokens, tt.reuse, 1)
		a, _ := p.take(context.Background(), 3)
		b, _ := p.take(context.Background(), 2)
		if !cmp.Equal(a, []int32{0, 1, 2}) || !cmp.Equal(b, []int32{3, 4}) {
			t.Errorf("%s: first pages %v, %v", tt.reuse, a, b)
		}
		p.pages[0].write([]byte("left"), 1, &origin{request: "A"})
		p.give(a)
		p.give(b)
		got, _ := p.take(context.Background(), 4)
		if !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.reuse, got, tt.want)
		}
		if kept := len(p.pages[0].text) > 0; kept != (tt.reuse != ReuseOff) {
			t.Errorf("%s: page kept its text: %v", tt.reuse, kept)
		}
	}
}

func TestPoolRandomGivesEachPageOnce(t *testing.T) {
	p := newPool(50*pageTokens, ReuseRandom, 3)
	got, _ := p.take(context.Background(), 50)
	inOrder := slices.IsSorted(got)
	slices.Sort(got)
	for i, page := range got {
		if int(page) != i {
			t.Fatalf("pages %v", got)
		}
	}
	if inOrder {
		t.Error("pages came in order")
	}
}

func TestPoolWaitsInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(4*pageTokens, ReuseLIFO, 1)
		all, _ := p.take(t.Context(), 4)
		order := make(chan int, 2)
		go func() {
			pages, err := p.take(t.Context(), 3)
			if err != nil {
				t.Error(err)
			}
			order <- 3
			p.give(pages)
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := p.take(ctx, 4)
			left <- err
		}()
		go func() {
			if _, err := p.take(t.Context(), 1); err != nil {
				t.Error(err)
			}
			order <- 1
		}()
		synctest.Wait()
		p.give(all[:2]) // not enough for the first in line, and nobody overtakes
		synctest.Wait()
		if len(order) > 0 {
			t.Error("a request overtook the line")
		}
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("waiter left with %v", err)
		}
		p.give(all[2:])
		if first, second := <-order, <-order; first+second != 4 {
			t.Errorf("served %d, %d", first, second)
		}
	})
}

func TestPoolTooSmall(t *testing.T) {
	if _, err := newPool(pageTokens, ReuseLIFO, 1).take(context.Background(), 2); err == nil {
		t.Error("took two pages of a pool of one")
	}
}

// The placeholder of a rejected request covers the first token of a page only.
func TestOverlay(t *testing.T) {
	donor := &origin{request: "A"}
	var g page
	g.write([]byte("seal 1: river stone"), 5, donor)
	g.overlay(&origin{request: "B"})
	if string(g.text) != " 1: river stone" || g.origin != donor {
		t.Errorf("page after the placeholder: %q of %v", g.text, g.origin)
	}
}

func TestStrangersShare(t *testing.T) {
	for _, reuse := range []Reuse{ReuseLIFO, ReuseFIFO, ReuseRandom} {
		for _, share := range []float64{0.5, 0.9, 0.9999, 1} {
			c := newCrowd(1, TokenizerWords, 1<<16)
			p := newPool(1000*pageTokens, reuse, 1)
			c.refill(p, share)
			if tenants, _, blank := p.census(); tenants+blank > 0 {
				t.Errorf("%s %v: %d, %d pages are not strangers' at the start", reuse, share, tenants, blank)
			}
			table, _ := p.take(context.Background(), 700)
			for _, i := range table {
				p.pages[i].write([]byte("own"), 1, &origin{request: "A"})
			}
			p.give(table)
			c.refill(p, share)
			tenants, strangers, _ := p.census()
			if want := min(700, int((1-share)*1000+0.5)); tenants != want || strangers != 1000-tenants {
				t.Errorf("%s %v: %d pages of tenants left, want %d", reuse, share, tenants, want)
			}
		}
	}
}
