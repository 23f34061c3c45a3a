package copymodel

import (
	"bufio"
	"encoding/binary"
	"io"
)

// GGUF value types.
const (
	ggufUint32  = 4
	ggufFloat32 = 6
	ggufBool    = 7
	ggufString  = 8
	ggufArray   = 9
	ggufInt32   = 5
)

// alignment of tensor data in a file, bytes.
const alignment = 32

// header is everything of a GGUF file before the tensor data.
type header struct {
	buf     []byte
	entries uint64
}

func (h *header) uint32(v uint32) { h.buf = binary.LittleEndian.AppendUint32(h.buf, v) }
func (h *header) uint64(v uint64) { h.buf = binary.LittleEndian.AppendUint64(h.buf, v) }

func (h *header) text(s string) {
	h.uint64(uint64(len(s)))
	h.buf = append(h.buf, s...)
}

// key begins an entry: its name and the type of its value.
func (h *header) key(name string, kind uint32) {
	h.entries++
	h.text(name)
	h.uint32(kind)
}

func (h *header) setText(name, v string) {
	h.key(name, ggufString)
	h.text(v)
}

func (h *header) setUint32(name string, v uint32) {
	h.key(name, ggufUint32)
	h.uint32(v)
}

func (h *header) setFloat32(name string, bits uint32) {
	h.key(name, ggufFloat32)
	h.uint32(bits)
}

func (h *header) setTrue(name string) {
	h.key(name, ggufBool)
	h.buf = append(h.buf, 1)
}

func (h *header) setTexts(name string, v []string) {
	h.key(name, ggufArray)
	h.uint32(ggufString)
	h.uint64(uint64(len(v)))
	for _, s := range v {
		h.text(s)
	}
}

func (h *header) setInt32s(name string, v []int32) {
	h.key(name, ggufArray)
	h.uint32(ggufInt32)
	h.uint64(uint64(len(v)))
	for _, x := range v {
		h.uint32(uint32(x))
	}
}

// tensor is one named array, F32, its fastest dimension first.
type tensor struct {
	name string
	dims []int
	data []float32
}

// size is the length of the tensor's data with padding, bytes.
func (t tensor) size() uint64 {
	return (uint64(len(t.data))*4 + alignment - 1) / alignment * alignment
}

// writeGGUF writes a file of version 3 with the entries of h and the tensors.
func writeGGUF(w io.Writer, h *header, tensors []tensor) error {
	var head header
	head.buf = append(head.buf, "GGUF"...)
	head.uint32(3)
	head.uint64(uint64(len(tensors)))
	head.uint64(h.entries)
	head.buf = append(head.buf, h.buf...)
	offset := uint64(0)
	for _, t := range tensors {
		head.text(t.name)
		head.uint32(uint32(len(t.dims)))
		for _, d := range t.dims {
			head.uint64(uint64(d))
		}
		head.uint32(0) // F32
		head.uint64(offset)
		offset += t.size()
	}
	for len(head.buf)%alignment != 0 {
		head.buf = append(head.buf, 0)
	}
	out := bufio.NewWriter(w)
	if _, err := out.Write(head.buf); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := writeTensor(out, t); err != nil {
			return err
		}
	}
	return out.Flush()
}

func writeTensor(w io.Writer, t tensor) error {
	if err := binary.Write(w, binary.LittleEndian, t.data); err != nil {
		return err
	}
	_, err := w.Write(make([]byte, t.size()-uint64(len(t.data))*4))
	return err
}
