package p4

import (
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
)

// variable holds folders, as PATH does, that are searched before PATH.
const variable = "UPFLAB_P4"

// UP4's compiled program, in its p4src/build.
const (
	deviceFile = "bmv2.json"
	infoFile   = "p4info.txt"
)

// programs are the parts of an installation.
type programs struct {
	bmv2, pfcpiface string
	device, info    string // UP4's compiled program
}

// find looks for the programs in the variable's folders and PATH, and for UP4's
// compiled program in the former.
func find(info dut.Info) (programs, error) {
	var p programs
	folders := os.Getenv(variable)
	path := folders + string(os.PathListSeparator) + os.Getenv("PATH")
	for _, want := range []struct {
		name    string
		at      *string
		path    string
		program bool
	}{
		{"simple_switch_grpc", &p.bmv2, path, true},
		{"pfcpiface", &p.pfcpiface, path, true},
		{deviceFile, &p.device, folders, false},
		{infoFile, &p.info, folders, false},
	} {
		if *want.at = dut.LookIn(want.path, want.name, want.program); *want.at == "" {
			return p, fmt.Errorf("p4 is not installed: no %s; see %s, and set %s to the folders of simple_switch_grpc (BMv2), pfcpiface "+
				"(v2.1.1 or older) and UP4's compiled program (p4src/build), separated by %q",
				want.name, info.Docs, variable, os.PathListSeparator)
		}
	}
	return p, nil
}

// p4runtime is the module by which a pfcpiface that knows UP4 speaks with the switch.
const p4runtime = "github.com/p4lang/p4runtime"

// version is that of the three parts: BMv2's own, pfcpiface's commit and day, and the
// beginning of the SHA-256 of UP4's program, which carries no version.
func (p programs) version() (string, error) {
	info, err := buildinfo.ReadFile(p.pfcpiface)
	if err != nil || !strings.HasPrefix(info.Main.Path, "github.com/omec-project/upf") {
		return "", fmt.Errorf("%s is not pfcpiface (a Go program of github.com/omec-project/upf-epc): set %s to the folder of the right one",
			p.pfcpiface, variable)
	}
	if !slices.ContainsFunc(info.Deps, func(m *debug.Module) bool { return m.Path == p4runtime }) {
		return "", fmt.Errorf("%s is a pfcpiface without UP4, which v2.1.1 was the last to have: set %s to the folder of an older one",
			p.pfcpiface, variable)
	}
	program, err := os.ReadFile(p.device)
	if err != nil {
		return "", fmt.Errorf("read UP4's program: %w", err)
	}
	bmv2, err := bmv2Version(p.bmv2)
	return fmt.Sprintf("BMv2 %s, pfcpiface %s, UP4 sha256:%.6x", bmv2, dut.GoCommit(info, p.pfcpiface), sha256.Sum256(program)), err
}

// bmv2Version asks the program, which answers "1.15.0-9674187f".
func bmv2Version(path string) (string, error) {
	text, err := dut.AskVersion(path, "--version")
	if err != nil {
		return "", err
	}
	if text == "" || strings.ContainsAny(text, " \n") {
		return "", fmt.Errorf("%s --version answers %q: is it BMv2's simple_switch_grpc?", path, text)
	}
	return text, nil
}
