// Package sqlitedb holds the queries of the ledger as Go functions. sqlc makes
// it from ../migrations and ../queries, as ../sqlc.yaml says; this comment alone
// is written by hand.
package sqlitedb
