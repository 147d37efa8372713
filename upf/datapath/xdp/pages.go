package xdp

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
	pageEntries      = 1 << 13 // as PAGE_BITS of bpf/pages.h
	blockPageEntries = 1 << 11 // as BLOCK_PAGE_BITS of bpf/chain6.h
	// restingEntries are how many numbers that were given back stay unused, where there are others.
	restingEntries = 1 << 10
)

// pages is a table of bpf/pages.h, by number from 1 on. It grows by pages, whose memory is
// the programs' and this process's: writing an entry takes no system call.
type pages[T any] struct {
	table *ebpf.Map
	most  uint32 // numbers
	size  uint32 // entries of a page

	mu   sync.Mutex // guards what follows, but not the entries
	list []*page[T]
	next uint32   // the lowest number that was never given
	free []uint32 // the one that was given back first comes first
}

// page is one page, mapped until nothing refers to it.
type page[T any] struct {
	entries []T
	table   *ebpf.Map
}

// pagesFor is how many pages so many entries take.
func pagesFor(entries uint32) uint32 { return entries/pageEntries + 1 }

// newPages opens a table, with the pages that an earlier process added.
func newPages[T any](table *ebpf.Map, most uint32) (*pages[T], error) {
	return newPagesOf[T](table, most, pageEntries)
}

// newPagesOf is newPages with pages of so many entries.
func newPagesOf[T any](table *ebpf.Map, most, size uint32) (*pages[T], error) {
	p := &pages[T]{table: table, most: most, size: size, next: 1}
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
func (p *pages[T]) grow() error {
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
func (p *pages[T]) keep(m *ebpf.Map) error {
	one, err := mapPage[T](m)
	if err != nil {
		m.Close()
		return err
	}
	p.list = append(p.list, one)
	return nil
}

// mapPage maps an array into memory.
func mapPage[T any](m *ebpf.Map) (*page[T], error) {
	entries := int(m.MaxEntries())
	size := (entries*int(unsafe.Sizeof(*new(T))) + unix.Getpagesize() - 1) &^ (unix.Getpagesize() - 1)
	octets, err := unix.Mmap(m.FD(), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map a table into memory: %w", err)
	}
	one := &page[T]{entries: unsafe.Slice((*T)(unsafe.Pointer(&octets[0])), entries), table: m}
	runtime.AddCleanup(one, func(o []byte) { _ = unix.Munmap(o) }, octets)
	return one, nil
}

// take gives a number that is free, and its entry, which still has what was in it.
func (p *pages[T]) take() (uint32, *T, error) {
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
func (p *pages[T]) reach(number uint32) error {
	for int(number/p.size) >= len(p.list) {
		if err := p.grow(); err != nil {
			return fmt.Errorf("%w: add a page to a table: %w", datapath.ErrFull, err)
		}
	}
	return nil
}

// place is the entry of a number that another table gave.
func (p *pages[T]) place(number uint32) (*T, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.reach(number); err != nil {
		return nil, err
	}
	return p.entry(number), nil
}

// give takes numbers back that no packet can meet any more.
func (p *pages[T]) give(numbers ...uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, numbers...)
}

// resume has only these numbers be in use, which an earlier process gave.
func (p *pages[T]) resume(used map[uint32]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for end := min(uint32(len(p.list))*p.size, p.most+1); p.next < end; p.next++ {
		if !used[p.next] {
			p.free = append(p.free, p.next)
		}
	}
}

// at is the entry of a number that was given.
func (p *pages[T]) at(number uint32) *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entry(number)
}

func (p *pages[T]) entry(number uint32) *T {
	return &p.list[number/p.size].entries[number%p.size]
}

// used is how many numbers are given.
func (p *pages[T]) used() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int(p.next) - 1 - len(p.free)
}

// maps are the pages and the table of them.
func (p *pages[T]) maps() []*ebpf.Map {
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

// close gives the pages up; what was mapped stays readable.
func (p *pages[T]) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.list {
		one.table.Close()
	}
}
