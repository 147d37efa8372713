package sdcore

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
)

// variable holds folders, as PATH does, that are searched before PATH.
const variable = "UPFLAB_SDCORE"

// programs are the parts of an installation.
type programs struct {
	bessd, bessctl, pfcpiface, python string
	routeControl                      string // next to the pipeline, in bessctl's conf
	path                              string // for PATH of what we start
	pythonPath                        string // where pybess is
}

// inImage are the programs where SD-Core's own images have them (its Dockerfile, and the
// chart bess-upf); the images set what Python needs.
func inImage() programs {
	return programs{bessd: "bessd", bessctl: "bessctl", pfcpiface: "pfcpiface", routeControl: "/opt/bess/bessctl/conf/route_control.py"}
}

// programsFor are those of the image that the UPF is run from, or of this machine.
func programsFor(env dut.Env, info dut.Info) (programs, error) {
	if env.Image != nil {
		return inImage(), nil
	}
	return find(info)
}

// find looks for the programs where SD-Core's own images have them: bessd, bessctl
// and pfcpiface in the path, and the UPF's conf folder next to the real bessctl.
func find(info dut.Info) (programs, error) {
	p := programs{path: os.Getenv("PATH")}
	if folders := os.Getenv(variable); folders != "" {
		p.path = folders + string(os.PathListSeparator) + p.path
	}
	for _, program := range []struct {
		name string
		at   *string
	}{{"bessd", &p.bessd}, {"bessctl", &p.bessctl}, {"pfcpiface", &p.pfcpiface}, {"python3", &p.python}} {
		if *program.at = dut.LookIn(p.path, program.name, true); *program.at == "" {
			return p, fmt.Errorf("sdcore is not installed: no program %q in %s or PATH; see %s, and set %s to the folders of "+
				"bessd, bessctl, pfcpiface and (where BESS's Python modules are not the system's) python3, separated by %q",
				program.name, variable, info.Docs, variable, os.PathListSeparator)
		}
	}
	real, err := filepath.EvalSymlinks(p.bessctl)
	if err != nil {
		return p, fmt.Errorf("sdcore: find the folder of %s: %w", p.bessctl, err)
	}
	folder := filepath.Dir(real)
	p.pythonPath = filepath.Dir(folder)
	p.routeControl = filepath.Join(folder, "conf", "route_control.py")
	for _, file := range []string{p.routeControl, filepath.Join(folder, "conf", "up4.bess")} {
		if _, err := os.Stat(file); err != nil {
			return p, fmt.Errorf("sdcore: %w: copy the folder conf of the UPF's sources to %s/conf, as its Dockerfile does", err, folder)
		}
	}
	return p, nil
}

// version is pfcpiface's commit and day, and bessd's. Go's own version would mislead:
// it leaves out the tags v2, for the module's path has no /v2.
func (p programs) version() (string, error) {
	info, err := buildinfo.ReadFile(p.pfcpiface)
	if err != nil || !strings.HasPrefix(info.Main.Path, "github.com/omec-project/upf") {
		return "", fmt.Errorf("%s is not SD-Core's pfcpiface (a Go program of github.com/omec-project/upf-epc): "+
			"set %s to the folder of the right one",
			p.pfcpiface, variable)
	}
	bessd, err := bessdVersion(p.bessd)
	return fmt.Sprintf("pfcpiface %s, bessd %s", dut.GoCommit(info, p.pfcpiface), bessd), err
}

// bessdVersion asks the program, which answers "bessd version v1.0.1".
func bessdVersion(path string) (string, error) {
	text, err := dut.AskVersion(path, "-version")
	if err != nil {
		return "", err
	}
	_, v, ok := strings.Cut(text, "version ")
	if !ok {
		return "", fmt.Errorf("%s -version answers %q: is it BESS's daemon?", path, text)
	}
	return v, nil
}

// env is for the programs in Python and those that they start.
func (p programs) env() []string {
	if p.path == "" { // the image's
		return nil
	}
	return []string{"PATH=" + p.path, "PYTHONPATH=" + p.pythonPath, "PYTHONDONTWRITEBYTECODE=1"}
}
