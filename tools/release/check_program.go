package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// machines are the architectures in an ELF header, by Go's names.
func machines() map[string]elf.Machine {
	return map[string]elf.Machine{
		"386": elf.EM_386, "amd64": elf.EM_X86_64, "arm": elf.EM_ARM, "arm64": elf.EM_AARCH64,
		"loong64": elf.EM_LOONGARCH, "ppc64le": elf.EM_PPC64, "riscv64": elf.EM_RISCV, "s390x": elf.EM_S390,
	}
}

// checkProgram: a binary is for its architecture, static, and of the version. One that this
// machine can run has to say so itself.
func checkProgram(binary []byte, arch string, v version) error {
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return fmt.Errorf("the program is no ELF file: %w", err)
	}
	wrong := []error{checkMachine(f, arch), checkStatic(f), checkBuild(binary, arch)}
	for what, text := range map[string]string{"version": v.name, "commit": v.commit} {
		if !bytes.Contains(binary, []byte(text)) {
			wrong = append(wrong, fmt.Errorf("the program does not contain its %s, %s", what, text))
		}
	}
	if err := errors.Join(wrong...); err != nil || runtime.GOOS != "linux" || arch != runtime.GOARCH {
		return err
	}
	return checkSays(binary, v)
}

func checkMachine(f *elf.File, arch string) error {
	want, known := machines()[arch]
	if !known {
		return fmt.Errorf("%s is an architecture whose ELF header is not known here", arch)
	}
	if f.Machine != want {
		return fmt.Errorf("the program is for %v, wanted %v (%s)", f.Machine, want, arch)
	}
	return nil
}

// checkStatic: a static program names no loader and no library.
func checkStatic(f *elf.File) error {
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("the program is not static: it has a segment %v", p.Type)
		}
	}
	return nil
}

// checkBuild: the linker's own record of the build.
func checkBuild(binary []byte, arch string) error {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return fmt.Errorf("the program's build information: %w", err)
	}
	want := map[string]string{"GOARCH": arch, "CGO_ENABLED": "0", "-trimpath": "true"}
	for _, s := range info.Settings {
		if want[s.Key] == s.Value {
			delete(want, s.Key)
		}
	}
	for key, value := range want {
		return fmt.Errorf("the program was not built with %s=%s", key, value)
	}
	return nil
}

// checkSays runs the program.
func checkSays(binary []byte, v version) error {
	dir, err := os.MkdirTemp("", "upflab-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "upflab")
	if err := os.WriteFile(path, binary, 0o755); err != nil {
		return err
	}
	said, err := exec.Command(path, "version").CombinedOutput()
	if want := "upflab " + v.name + " (commit " + v.commit; err != nil || !strings.HasPrefix(string(said), want) {
		return fmt.Errorf("`upflab version` says %q (%v), wanted %q", said, err, want+" ...")
	}
	return nil
}
