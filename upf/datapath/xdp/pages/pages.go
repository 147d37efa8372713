// Package pages has tables of bpf/pages.h, whose memory is the programs' and this process's: writing an entry takes no
// system call.
package pages

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
)

const (
	// Entries are those of a page, 1 << PAGE_BITS of bpf/pages.h.
	Entries = 1 << 13
	// restingEntries are how many numbers that were given back stay unused, where there are others.
	restingEntries = 1 << 10
)

// Table is a table of bpf/pages.h, by number from 1 on. It grows by pages, whose memory is
// the programs' and this process's: writing an entry takes no system call.
type Table[T any] struct {
	table *ebpf.Map
	most  uint32 // numbers
	size  uint32 // entries of a page

	mu   sync.Mutex // guards what follows, but not the entries
	list []*Page[T]
	next uint32   // the lowest number that was never given
	free []uint32 // the one that was given back first comes first
}

// Page is one page, mapped until nothing refers to it.
type Page[T any] struct {
	Entries []T
	table   *ebpf.Map
}

// For is how many pages so many entries take.
func For(entries uint32) uint32 { return entries/Entries + 1 }

// Open opens a table, with the pages that an earlier process added.
func Open[T any](table *ebpf.Map, most uint32) (*Table[T], error) {
	return OpenOf[T](table, most, Entries)
}

// OpenOf is Open with pages of so many entries.
func OpenOf[T any](table *ebpf.Map, most, size uint32) (*Table[T], error) {
	p := &Table[T]{table: table, most: most, size: size, next: 1}
	for n := range table.MaxEntries() {
		var m *ebpf.Map
		if table.Lookup(n, &m) != nil {
			break
		}
		if err := p.keep(m); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// grow adds a page.
func (p *Table[T]) grow() error {
	m, err := ebpf.NewMap(&ebpf.MapSpec{
		Name: "page", Type: ebpf.Array, KeySize: 4, ValueSize: uint32(unsafe.Sizeof(*new(T))), MaxEntries: p.size, Flags: unix.BPF_F_MMAPABLE,
	})
	if err != nil {
		return err
	}
	number := uint32(len(p.list))
	if err := p.keep(m); err != nil {
		return err
	}
	if err := p.table.Put(number, m); err != nil {
		p.list = p.list[:number]
		m.Close()
		return err
	}
	return nil
}

// keep maps a page into memory.
func (p *Table[T]) keep(m *ebpf.Map) error {
	one, err := Map[T](m)
	if err != nil {
		m.Close()
		return err
	}
	p.list = append(p.list, one)
	return nil
}

// Map maps an array into memory.
func Map[T any](m *ebpf.Map) (*Page[T], error) {
	entries := int(m.MaxEntries())
	size := (entries*int(unsafe.Sizeof(*new(T))) + unix.Getpagesize() - 1) &^ (unix.Getpagesize() - 1)
	octets, err := unix.Mmap(m.FD(), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map a table into memory: %w", err)
	}
	one := &Page[T]{Entries: unsafe.Slice((*T)(unsafe.Pointer(&octets[0])), entries), table: m}
	runtime.AddCleanup(one, func(o []byte) { _ = unix.Munmap(o) }, octets)
	return one, nil
}

// Take gives a number that is free, and its entry, which still has what was in it.
func (p *Table[T]) Take() (uint32, *T, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) > restingEntries || p.next > p.most && len(p.free) > 0 {
		number := p.free[0]
		p.free = p.free[1:]
		return number, p.entry(number), nil
	}
	if p.next > p.most {
		return 0, nil, fmt.Errorf("%w: %d entries are the most: raise max sessions", datapath.ErrFull, p.most)
	}
	if err := p.reach(p.next); err != nil {
		return 0, nil, err
	}
	p.next++
	return p.next - 1, p.entry(p.next - 1), nil
}

// reach adds the pages until that of a number.
func (p *Table[T]) reach(number uint32) error {
	for int(number/p.size) >= len(p.list) {
		if err := p.grow(); err != nil {
			return fmt.Errorf("%w: add a page to a table: %w", datapath.ErrFull, err)
		}
	}
	return nil
}

// Place is the entry of a number that another table gave.
func (p *Table[T]) Place(number uint32) (*T, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.reach(number); err != nil {
		return nil, err
	}
	return p.entry(number), nil
}

// Give takes numbers back that no packet can meet any more.
func (p *Table[T]) Give(numbers ...uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, numbers...)
}

// Resume has only these numbers be in use, which an earlier process gave.
func (p *Table[T]) Resume(used map[uint32]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for end := min(uint32(len(p.list))*p.size, p.most+1); p.next < end; p.next++ {
		if !used[p.next] {
			p.free = append(p.free, p.next)
		}
	}
}

// At is the entry of a number that was given.
func (p *Table[T]) At(number uint32) *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entry(number)
}

func (p *Table[T]) entry(number uint32) *T {
	return &p.list[number/p.size].Entries[number%p.size]
}

// Used is how many numbers are given.
func (p *Table[T]) Used() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int(p.next) - 1 - len(p.free)
}

// Maps are the pages and the table of them.
func (p *Table[T]) Maps() []*ebpf.Map {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	list := []*ebpf.Map{p.table}
	for _, one := range p.list {
		list = append(list, one.table)
	}
	return list
}

// Close gives the pages up; what was mapped stays readable.
func (p *Table[T]) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.list {
		one.table.Close()
	}
}
