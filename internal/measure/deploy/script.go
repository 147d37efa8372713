package deploy

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
)

//go:embed start.sh.tmpl
var startScript string

// script fills the script's template.
type script struct {
	request Request
	links   *site.Links
	made    network
	dir     string // where the driver wrote its files

	Label, Version string
	PIDNamespace   bool
	Silent         []string
	HugePages      int
	Programs       []program
	Findings       []dut.Finding
}

// program is one that the script starts.
type program struct {
	Name    string
	Default string   // its path where nobody names another
	Args    []string // words for the shell
	Env     []string
	Mounts  []process.Mount
	Once    bool
	ByHand  []string
	Image   *dut.Image
}

func newScript(q Request, r *recorder, dir string) *script {
	s := &script{
		request: q, links: r.Links(), made: r.network, dir: dir,
		Label: q.Target.Label(), Version: q.Version, PIDNamespace: r.pidNamespace, HugePages: r.hugePages,
	}
	s.Findings = q.Target.Doctor(dut.Env{Scenario: q.Scenario, CPUs: q.CPUs})
	for _, d := range r.silent {
		s.Silent = append(s.Silent, s.fill(d))
	}
	for _, p := range r.parts {
		s.Programs = append(s.Programs, s.program(p))
		s.PIDNamespace = s.PIDNamespace || p.Spec.PIDNamespace
	}
	return s
}

func (s *script) program(part process.Part) program {
	p := program{Name: strings.Map(letters, part.Name), Default: s.fill(part.Spec.Args[0]), Once: part.Once,
		Mounts: part.Spec.Mounts, Image: part.Spec.Image}
	for _, a := range part.Spec.Args[1:] {
		p.Args = append(p.Args, `"`+s.fill(a)+`"`)
	}
	for _, e := range part.Spec.Env {
		p.Env = append(p.Env, `"`+s.fill(e)+`"`)
	}
	for _, line := range part.Spec.ByHand {
		p.ByHand = append(p.ByHand, s.fill(line))
	}
	return p
}

// letters keeps what is safe in the name of a file.
func letters(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
		return r
	}
	return '_'
}

// hole is something of this machine, and the variable of the script that takes its place.
type hole struct{ here, variable string }

// holes lists them: the names and MAC addresses of the ports, and the folder.
func (s *script) holes() []hole {
	l := s.links
	list := []hole{{s.dir, "RUN"}}
	for _, p := range []struct {
		port netdev.Port
		name string
	}{{l.UPFN3, "N3"}, {l.UPFN4, "N4"}, {l.UPFN6, "N6"}} {
		list = append(list, hole{p.port.Name, p.name}, hole{p.port.MAC.String(), p.name + "_MAC"})
	}
	return append(list, hole{l.GNB.MAC.String(), "GNB_MAC"}, hole{l.SMFN4.MAC.String(), "SMF_MAC"}, hole{l.DNN6.MAC.String(), "DN_MAC"})
}

// fill puts the script's variables into a text of the script.
func (s *script) fill(text string) string {
	for _, h := range s.holes() {
		text = strings.ReplaceAll(text, h.here, "$"+h.variable)
	}
	return text
}

// mark does so in a file, as @VARIABLE@, for the script to replace.
func (s *script) mark(text string) string {
	for _, h := range s.holes() {
		text = strings.ReplaceAll(text, h.here, "@"+h.variable+"@")
	}
	return text
}

// Variables are those that files have, for the script to replace.
func (s *script) Variables() (names []string) {
	for _, h := range s.holes() {
		names = append(names, h.variable)
	}
	return names
}

// copyFiles copies what the driver wrote; marks take the place of what is this machine's.
func (s *script) copyFiles(from, to string) (names []string, err error) {
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755); err != nil {
			return err
		}
		names = append(names, filepath.Join(filepath.Base(to), name))
		return writeFile(filepath.Join(to, name), []byte(s.mark(string(text))), info.Mode().Perm())
	})
	return names, err
}

// write renders the script.
func (s *script) write(path string) error {
	t, err := template.New(ScriptName).Option("missingkey=error").Parse(startScript)
	if err != nil {
		return fmt.Errorf("template of the script: %w", err)
	}
	var text strings.Builder
	if err := t.Execute(&text, s); err != nil {
		return fmt.Errorf("render the script: %w", err)
	}
	return writeFile(path, []byte(text.String()), 0o755)
}

// Ports are N3, N4 and N6 as the script sees them.
func (s *script) Ports() (list []port) {
	l := s.links
	for _, x := range []struct {
		name, peer string
		upf, far   netdev.Port
	}{{"N3", "GNB", l.UPFN3, l.GNB}, {"N4", "SMF", l.UPFN4, l.SMFN4}, {"N6", "DN", l.UPFN6, l.DNN6}} {
		p := port{Name: x.name, Peer: x.peer, Address: fmt.Sprintf("%s/%d", x.upf.Addr, x.upf.Prefix), PeerAddress: x.far.Addr.String()}
		at := slices.IndexFunc(s.made.Devices, func(d device) bool { return d.Name == x.upf.Name })
		if at >= 0 {
			p.MTU, p.Kernel = s.made.Devices[at].MTU, len(s.made.Devices[at].Addresses) > 0
		}
		list = append(list, p)
	}
	return list
}

// port is a device that leads to the tester.
type port struct {
	Name, Peer           string // "N3", "GNB"
	Address, PeerAddress string
	MTU                  int
	Kernel               bool // the kernel has the address; else the UPF's own stack
}
