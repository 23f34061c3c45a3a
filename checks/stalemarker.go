package checks

// KindStaleMarker is a verified marker of the same tenant's other request.
const KindStaleMarker = "stale_marker"

// staleMarker looks for content of the same tenant's other requests: no
// disclosure, since the tenant wrote it, but the same fault.
type staleMarker struct{}

func (staleMarker) Name() string { return "stalemarker" }

func (c staleMarker) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		var found []Finding
		for _, m := range s.foreignMarkers() {
			if m.hit.Payload.Tenant == s.tenant {
				found = append(found, s.markerFinding(m, KindStaleMarker, Damaged, "of another request of the same tenant"))
			}
		}
		return found
	})
}
