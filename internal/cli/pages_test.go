package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/scenario"
)

// taskPages are the pages by task: every command on them is parsed, and run where the
// page marks its block by <!-- run -->.
var taskPages = []string{"tutorial.md", "install.md", "dut-config.md", "ci.md", "real-nics.md", "add-a-dut.md",
	"gates.md", "bisect.md", "../README.md"}

// pageCommand is a command of a page.
type pageCommand struct {
	words []string // after "upflab"
	run   bool
	may   []int // its exit status when it is run
}

var (
	callLine = regexp.MustCompile(`^(?:sudo )?(?:ip netns exec \S+ )?(?:env )?(?:[A-Z_]+=\S+ )*(?:\./)?upflab (.+)$`)
	word     = regexp.MustCompile(`'([^']*)'|"([^"]*)"|(\S+)`)
)

// pageCommands reads those of a page's indented and fenced blocks.
func pageCommands(text string) (list []pageCommand) {
	may, fenced := []int(nil), false
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "<!-- run -->"):
			may = []int{exit.Done}
		case strings.HasPrefix(line, "<!-- run: status 0 or 1 -->"):
			may = []int{exit.Done, exit.Failed}
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case line != "" && !fenced && !strings.HasPrefix(line, "    "):
			may = nil
		case line == "" && len(may) > 0 && len(list) > 0 && list[len(list)-1].run:
			may = nil // the end of the block
		}
		code, _, _ := strings.Cut(strings.TrimSpace(line), " #")
		code, _, _ = strings.Cut(code, " > ")
		code = strings.TrimSuffix(code, " &")
		m := callLine.FindStringSubmatch(code)
		if m == nil || !fenced && !strings.HasPrefix(line, "    ") || strings.Contains(code, "...") {
			continue
		}
		c := pageCommand{run: may != nil, may: may}
		for _, w := range word.FindAllStringSubmatch(m[1], -1) {
			c.words = append(c.words, w[1]+w[2]+w[3])
		}
		list = append(list, c)
	}
	return list
}

func TestPagesCommands(t *testing.T) {
	ran := 0
	for _, name := range taskPages {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		commands := pageCommands(string(text))
		if len(commands) == 0 {
			t.Errorf("%s has no command", name)
		}
		for _, c := range commands {
			if err := parses(c.words); err != nil {
				t.Errorf("%s: upflab %s: %v", name, strings.Join(c.words, " "), err)
			}
			if c.run {
				ran++
				works(t, name, c)
			}
		}
	}
	if ran < 10 {
		t.Errorf("%d commands were run only: are the marks there?", ran)
	}
}

// TestPerformanceCommands: those in the tables of reference/speed-commands.md parse.
func TestPerformanceCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/speed-commands.md")
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile("(?m)^\\|[^|]+\\| `upflab ([^`]+)`").FindAllStringSubmatch(string(text), -1)
	if len(all) < 10 {
		t.Errorf("%d commands only: are the tables there?", len(all))
	}
	for _, m := range all {
		if err := parses(strings.Fields(m[1])); err != nil {
			t.Errorf("upflab %s: %v", m[1], err)
		}
	}
}

func works(t *testing.T, page string, c pageCommand) {
	t.Helper()
	var out, errs bytes.Buffer
	status := Main(c.words, &out, &errs)
	for _, may := range c.may {
		if status == may && out.Len() > 0 {
			return
		}
	}
	t.Errorf("%s: upflab %s: status %d, %d bytes, %s", page, strings.Join(c.words, " "), status, out.Len(), errs.String())
}

// parses checks a command's flags, arguments, DUTs and settings without running it.
func parses(words []string) error {
	c, rest, err := newRoot().Find(words)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); errors.Is(err, pflag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	args := c.Flags().Args()
	if c.ArgsLenAtDash() < 0 || c.Name() != "exec" {
		if err := c.ValidateArgs(args); err != nil {
			return err
		}
	}
	if c.CommandPath() != "upflab run" {
		return nil
	}
	duts, _ := c.Flags().GetStringArray("dut")
	for _, name := range duts {
		if strings.HasPrefix(name, "NAME") { // stands for any
			continue
		}
		if _, err := drivers.Find(name, ""); err != nil {
			return err
		}
	}
	name := "load-latency"
	if len(args) > 0 {
		name = args[0]
	}
	if strings.HasSuffix(name, ".yaml") {
		return nil
	}
	sets, _ := c.Flags().GetStringArray("set")
	_, err = scenario.Open(name, sets, false)
	return err
}

// TestPlacesOfGates: each place that gates.md names after the @ can be asked of a scenario, and named by a
// threshold of it.
func TestPlacesOfGates(t *testing.T) {
	text, err := os.ReadFile("../../docs/gates.md")
	if err != nil {
		t.Fatal(err)
	}
	_, where, _ := strings.Cut(string(text), "- **Where**")
	where, _, _ = strings.Cut(where, "\n")
	for kind, key := range map[string]string{"sizes": "sizes", "arrivals": "arrivals", "loads": "loads"} {
		m := regexp.MustCompile(kind + " \\(((?:`[^`]+`(?:, )?)+)\\)").FindStringSubmatch(where)
		if m == nil {
			t.Errorf("no %s in %q", kind, where)
			continue
		}
		for _, quoted := range strings.Split(m[1], ", ") {
			place := strings.Trim(quoted, "`")
			sets := []string{key + "=" + place, "thresholds=rx_pps >= 1k @ " + place}
			if strings.Contains(place, "NDR") { // it needs a search, which finds it
				sets = sets[1:]
			}
			if _, err := scenario.Open("load-latency", sets, false); err != nil {
				t.Errorf("%s: %v", place, err)
			}
		}
	}
}
