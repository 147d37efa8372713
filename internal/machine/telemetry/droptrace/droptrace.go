// Package droptrace counts, by reason, what the kernel drops in chosen network
// namespaces: lost socket buffers (tracepoint skb:kfree_skb) and frames that XDP
// could not redirect.
package droptrace

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
)

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -idirafter /usr/include/x86_64-linux-gnu" drops bpf/drops.c

// Tracer counts drops from Open to Close.
type Tracer struct {
	objects dropsObjects
	links   []link.Link
	reasons map[uint32]string // of enum skb_drop_reason on this kernel
	symbols symbols
}

// Open begins to count in the namespaces whose inode numbers are given. It needs
// a kernel with BTF; without one the caller goes on without a tracer.
func Open(netns ...uint32) (*Tracer, error) {
	t := &Tracer{reasons: dropReasons(), symbols: symbols{file: kallsyms}}
	if err := t.load(); err != nil {
		return nil, fmt.Errorf("load the drop tracer: %w", err)
	}
	if err := t.start(netns); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *Tracer) load() error {
	spec, err := loadDrops()
	if err != nil {
		return err
	}
	for number, name := range t.reasons {
		if name != notSpecified {
			continue
		}
		if err := spec.Variables[dropsVarUnspecified].Set(number); err != nil {
			return err
		}
	}
	return spec.LoadAndAssign(&t.objects, nil)
}

func (t *Tracer) start(netns []uint32) error {
	for _, inode := range netns {
		if err := t.objects.Watched.Put(inode, uint8(1)); err != nil {
			return fmt.Errorf("watch namespace %d for drops: %w", inode, err)
		}
	}
	for _, p := range []*ebpf.Program{t.objects.OnKfreeSkb, t.objects.OnRedirectError, t.objects.OnException} {
		l, err := link.AttachTracing(link.TracingOptions{Program: p})
		if err != nil {
			return fmt.Errorf("attach the drop tracer: %w", err)
		}
		t.links = append(t.links, l)
	}
	return nil
}

// dropReasons reads the names of the kernel's drop reasons from its BTF; without
// them numbers are shown.
func dropReasons() map[uint32]string {
	names := map[uint32]string{}
	kernel, err := btf.LoadKernelSpec()
	if err != nil {
		return names
	}
	var enum *btf.Enum
	if kernel.TypeByName("skb_drop_reason", &enum) != nil {
		return names
	}
	for _, v := range enum.Values {
		names[uint32(v.Value)] = strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(v.Name, "SKB_DROP_REASON_"), "_", " "))
	}
	return names
}

// Read gives the totals of one namespace.
func (t *Tracer) Read(netns uint32) ([]telemetry.Drop, error) {
	var list []telemetry.Drop
	var key dropsKey
	var each []uint64
	it := t.objects.Drops.Iterate()
	for it.Next(&key, &each) {
		if key.Netns != netns {
			continue
		}
		c := t.drop(key)
		for _, n := range each {
			c.Packets += n
		}
		list = append(list, c)
	}
	if err := it.Err(); err != nil {
		return nil, fmt.Errorf("read the drop tracer: %w", err)
	}
	return list, nil
}

// notSpecified is the reason of code that gives none; where the code is names it.
const notSpecified = "not specified"

// reasonXDP is the reason of a socket buffer that a generic XDP program dropped.
const reasonXDP = "xdp"

// The kinds of drop, as in enum kind of drops.c.
const (
	kindSKB = iota
	kindRedirect
	kindException
)

// drop names what a key counts.
func (t *Tracer) drop(k dropsKey) (d telemetry.Drop) {
	switch k.Kind {
	case kindRedirect: // to a device or an AF_XDP socket
		d.Redirect = true
		d.Place = record.Place("XDP redirect: " + unix.Errno(k.Reason).Error())
		return d
	case kindException:
		d.Place = record.Place(fmt.Sprintf("XDP exception: verdict %d", k.Reason))
		return d
	}
	name, ok := t.reasons[k.Reason]
	if !ok {
		d.Place = record.Place(fmt.Sprintf("drop reason %d", k.Reason))
		return d
	}
	d.XDP, d.Function = name == reasonXDP, t.symbols.function(k.Where)
	if d.Function != "" {
		name += ", in " + d.Function
	}
	d.Place = record.Place(name)
	return d
}

// Close stops counting.
func (t *Tracer) Close() error {
	var errs []error
	for _, l := range t.links {
		errs = append(errs, l.Close())
	}
	return errors.Join(append(errs, t.objects.Close())...)
}
