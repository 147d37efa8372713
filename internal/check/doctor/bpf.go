package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

// verdict is XDP's: what becomes of a frame (enum xdp_action).
type verdict int32

const (
	xdpDrop verdict = 1
	xdpPass verdict = 2
)

// minimal loads a program that gives every frame the same verdict.
func minimal(v verdict) (*ebpf.Program, error) {
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "upflab_doctor", Type: ebpf.XDP, License: "Dual BSD/GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, int32(v)), asm.Return()},
	})
	if err != nil {
		return nil, fmt.Errorf("load a minimal XDP program: %w", err)
	}
	return p, nil
}

const bpfFix = "run as root; in a container allow the bpf system call (--privileged, or --cap-add " +
	"BPF,NET_ADMIN,PERFMON,SYS_ADMIN and a seccomp profile with it); a locked-down kernel says so in /sys/kernel/security/lockdown"

func loadProgram(_ context.Context, e *exam) Finding {
	if e.uid != 0 {
		return untried("bpf()")
	}
	p, err := minimal(xdpPass)
	if err != nil {
		return failed("bpf()", err, bpfFix)
	}
	p.Close()
	return Finding{Name: "bpf()", State: OK, Detail: "an XDP program loads"}
}

// liveFrames runs a program on one real frame, which it drops.
func liveFrames(_ context.Context, e *exam) Finding {
	const name = "XDP live frames"
	if e.uid != 0 {
		return untried(name)
	}
	p, err := minimal(xdpDrop)
	if err != nil {
		return failed(name, err, bpfFix)
	}
	defer p.Close()
	_, err = p.Run(&ebpf.RunOptions{Data: make([]byte, 64), Repeat: 1, BatchSize: 1, Flags: unix.BPF_F_TEST_XDP_LIVE_FRAMES})
	switch {
	case err == nil:
		return Finding{Name: name, State: OK, Detail: "one sent and dropped"}
	case errors.Is(err, unix.EINVAL):
		return failed(name, fmt.Errorf("run one: %w", err), "boot Linux 5.18 or later: the generator sends them")
	}
	return failed(name, fmt.Errorf("run one: %w", err), bpfFix)
}
