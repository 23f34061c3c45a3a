//go:build long && e2e

package main

import "testing"

// TestLongKills is TestE2EKills two hundred times over.
func TestLongKills(t *testing.T) { killServe(t, 200) }
