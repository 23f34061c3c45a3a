package preflight

import "fmt"

// readServerInfo reads /server_info (once /get_server_info): the launch
// arguments, and what the scheduler made of them. context_length there is null
// unless the flag was given; the window is then in /v1/models only.
func (n *Node) readServerInfo(where string, o object) error {
	n.setEngine(SGLang, where, "disaggregation_mode")
	n.addText(o, "version", Version, where)
	n.addText(o, "served_model_name", Model, where)
	n.addText(o, "model_path", Model, where)
	n.readRole(where, o)
	for _, f := range []Fact{
		{Name: Window, Field: "context_length"},
		{Name: Pool, Field: "max_total_num_tokens"},
		{Name: InputLimit, Field: "max_req_input_len"},
		{Name: PoolCap, Field: "max_total_tokens"},
	} {
		f.Unit, f.Where = "tokens", where
		if err := n.addCount(o, f.Field, f); err != nil {
			return err
		}
	}
	if err := n.addCount(o, "dp_size", Fact{Name: Ranks, Unit: "ranks", Where: where}); err != nil {
		return err
	}
	n.addFlag(o, "allow_auto_truncate", AutoTruncate, where, false)
	n.addFlag(o, "disable_radix_cache", PrefixCache, where, true)
	n.addFlag(o, "disaggregation_enable_kv_checksum", KVChecksum, where, false)
	n.addText(o, "hicache_storage_backend", ExternalCache, where)
	if yes, _ := o.flag("enable_lmcache"); yes {
		n.add(Fact{Name: ExternalCache, Value: Text("LMCache"), Where: where, Field: "enable_lmcache"})
	}
	if o.text("api_key") != "" {
		n.add(Fact{Name: ShownKey, Value: Flag(true), Where: where, Field: "api_key"})
	}
	return n.readRanks(where, o.list("internal_states"))
}

// readRole reads what the node does; SGLang writes "null" for not
// disaggregated.
func (n *Node) readRole(where string, o object) {
	role := RoleUnified
	switch mode, ok := o["disaggregation_mode"]; {
	case !ok:
		return
	case mode == RolePrefill, mode == RoleDecode:
		role = o.text("disaggregation_mode")
	}
	n.add(Fact{Name: Role, Value: Text(role), Where: where, Field: "disaggregation_mode"})
}

// readRanks reads the pool of each data-parallel rank. They are not to be added
// up: a request lives in one of them.
func (n *Node) readRanks(where string, states []any) error {
	for i, s := range states {
		state, ok := s.(object)
		if !ok {
			return badDocument("internal_states[%d] is not an object", i)
		}
		prefix := fmt.Sprintf("internal_states[%d].", i)
		f := Fact{Name: Pool, Of: fmt.Sprintf("rank %d", i), Unit: "tokens", Where: where}
		f.Field = prefix + "memory_usage.token_capacity"
		if err := n.addCount(state.object("memory_usage"), "token_capacity", f); err != nil {
			return err
		}
		f.Field = prefix + "max_total_num_tokens"
		if err := n.addCount(state, "max_total_num_tokens", f); err != nil {
			return err
		}
	}
	return nil
}
