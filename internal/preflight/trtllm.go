package preflight

import "fmt"

// readIterations reads /metrics of TensorRT-LLM: statistics of the iterations
// since the last read, which this read has taken away. Nothing in it says what
// the window is.
func (n *Node) readIterations(where string, list []any) error {
	n.setEngine(TRTLLM, where, "[].kvCacheStats")
	for i := len(list) - 1; i >= 0; i-- {
		iteration, _ := list[i].(object)
		stats := iteration.object("kvCacheStats")
		if stats == nil {
			continue
		}
		blocks, okBlocks, err := stats.count("maxNumBlocks")
		if err != nil {
			return err
		}
		size, okSize, err := stats.count("tokensPerBlock")
		if err != nil {
			return err
		}
		if okBlocks && okSize {
			n.addProduct(Pool, blocks, size, Fact{Where: where, Field: fmt.Sprintf("[%d].kvCacheStats.maxNumBlocks x tokensPerBlock", i)})
			return nil
		}
	}
	return nil
}

// addProduct adds a number of tokens computed from blocks, unless it is beyond
// any memory.
func (n *Node) addProduct(name Name, blocks, size int64, f Fact) {
	if size <= 0 || blocks <= 0 || blocks > mostTokens/size {
		return
	}
	f.Name, f.Value, f.Unit = name, Count(blocks*size), "tokens"
	f.Note = fmt.Sprintf("%d blocks of %d tokens", blocks, size)
	n.add(f)
}
