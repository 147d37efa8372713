package disturbance

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
)

// load loads the programs and opens what they write.
func (m *Monitor) load() error {
	spec, err := loadWatch()
	if err != nil {
		return err
	}
	possible, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	spec.Maps[watchMapCpus].MaxEntries = uint32(possible)
	var name [len(watchEvent{}.Who)]byte
	copy(name[:], host.TrafficThread)
	for variable, value := range map[string]any{
		watchVarPeriod: uint64(Period), watchVarLate: uint64(Late), watchVarHeld: uint64(Held),
		watchVarShare: uint64(Share), watchVarGiven: uint64(Given),
		watchVarSelf: uint32(os.Getpid()), watchVarTraffic: name,
	} {
		if err := spec.Variables[variable].Set(value); err != nil {
			return fmt.Errorf("set constant %s: %w", variable, err)
		}
	}
	err = spec.LoadAndAssign(&m.objects, nil)
	if errors.Is(err, unix.EPERM) {
		return errors.New("that takes root, or CAP_BPF and CAP_PERFMON, outside of a user namespace")
	}
	if err != nil {
		return fmt.Errorf("load the programs: %w", err)
	}
	if m.memory, err = m.objects.Cpus.Memory(); err != nil {
		return err
	}
	m.reader, err = ringbuf.NewReader(m.objects.Events)
	return err
}

// How a CPU is watched: enum watch of watch.c.
const (
	works = 1
	polls = 2 // the run always wants it
)

// attach begins to watch the CPUs that the history has.
func (m *Monitor) attach() error {
	for _, cpu := range m.history.cpus() {
		if cpu >= int(m.objects.Cpus.MaxEntries()) {
			return fmt.Errorf("there is no CPU %d", cpu)
		}
		as := uint64(works)
		if m.history.polls[cpu] {
			as = polls
		}
		if err := m.objects.Cpus.Put(uint32(cpu), &watchCpu{Watched: as}); err != nil {
			return fmt.Errorf("watch CPU %d: %w", cpu, err)
		}
	}
	o := &m.objects
	for _, p := range []*ebpf.Program{o.OnTimer, o.OnFork, o.OnExit, o.OnSwitch, o.OnWakeup, o.OnMigrate, o.OnIrq,
		o.OnIrqEnd, o.OnSoftirq, o.OnSoftirqEnd} {
		l, err := link.AttachTracing(link.TracingOptions{Program: p})
		if err != nil {
			return fmt.Errorf("attach to the kernel's tracepoints: %w", err)
		}
		m.links = append(m.links, l)
	}
	return nil
}

// cpu is the state of a CPU as its programs have it now.
func (m *Monitor) cpu(id int) (c watchCpu, err error) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(&c)), unsafe.Sizeof(c))
	_, err = m.memory.ReadAt(b, int64(id)*int64(unsafe.Sizeof(c)))
	if errors.Is(err, io.EOF) {
		err = nil // the last one
	}
	return c, err
}

// decode reads an event of the ring.
func decode(b []byte) (e watchEvent, err error) {
	_, err = binary.Decode(b, binary.NativeEndian, &e)
	return e, err
}
