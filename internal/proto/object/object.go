// Package object reads the compiled eBPF programs that upflab carries.
package object

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/cilium/ebpf"
)

// Load reads an ELF file that gzip has packed: two thirds of one are names and lines for the verifier's messages.
func Load(packed []byte) (*ebpf.CollectionSpec, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack eBPF programs: %w", err)
	}
	elf, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("unpack eBPF programs: %w", err)
	}
	return ebpf.LoadCollectionSpecFromReader(bytes.NewReader(elf))
}
