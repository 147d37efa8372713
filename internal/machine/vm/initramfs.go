package vm

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/machine/vm/inside"
)

// writeInitramfs writes what a guest starts from: the program as its first process, the modules for its root, and
// what it is to do.
func writeInitramfs(to io.Writer, program string, modules []module, o inside.Order) error {
	if err := checkStatic(program); err != nil {
		return fmt.Errorf("the guest's first program: %w", err)
	}
	f, err := os.Open(program)
	if err != nil {
		return fmt.Errorf("read the guest's first program: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	a := archive{to: to}
	a.folder("dev")
	a.file("init", 0o755, info.Size(), f)
	a.folder(strings.TrimPrefix(inside.ModulesFolder, "/"))
	for _, m := range modules {
		a.file(strings.TrimPrefix(inside.ModulesFolder, "/")+"/"+m.name, 0o644, int64(len(m.data)), bytes.NewReader(m.data))
		o.Early = append(o.Early, m.name)
	}
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	a.file(strings.TrimPrefix(inside.OrderFile, "/"), 0o644, int64(len(b)), bytes.NewReader(b))
	return a.end()
}

// checkStatic refuses a program that needs a loader, which is not in the initramfs.
func checkStatic(program string) error {
	f, err := elf.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return fmt.Errorf("%s is linked dynamically: build it with CGO_ENABLED=0, as `make build` does", program)
	}
	return nil
}
