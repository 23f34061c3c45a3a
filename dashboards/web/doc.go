// Package web is the daemon's own pages: how every target stands, what each
// cell is worth, what was seen in a round, and for an incident the page map.
//
// # What a page must do
//
// It is read at three in the morning by somebody who was woken. So each says
// first what is wrong and since when, then what it rests on, then what to type.
// Nothing here changes anything: acknowledging, resolving and resuming are
// commands, which leave a name behind.
//
// # The page map
//
// When the donor of a leak is one of our own tenants, every finding knows where
// in the donor's prompt its content stands and where in the answer it came out.
// The page map draws one against the other. One steep line is a passage copied
// whole; several at equal distances are pages of a cache that was not cleared;
// points without order are scraps. When the donor is a stranger there is no map,
// and the page says what is not known and what was not kept.
//
// # Hostile text
//
// The pages hold no text of any answer. Names, identifiers and details that
// came over the wire all the same are escaped by html/template, cut to a
// length, and inert besides: a strict Content-Security-Policy allows our style
// sheet and nothing else, and no page needs a script. Lists are bounded.
package web
