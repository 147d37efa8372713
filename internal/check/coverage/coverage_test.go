package coverage

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	full   = flag.Bool("full", false, "simulate as often as the table in the documents")
	update = flag.Bool("update", false, "write the table into the documents")
	only   = flag.String("only", "", "only rows whose text contains this")
)

func TestMain(m *testing.M) {
	flag.Parse()
	status := m.Run()
	if *searched != "" {
		if err := os.RemoveAll(*searched); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	os.Exit(status)
}

// smoke is how often each row is tried in a short test, at most.
const smoke = 10

// TestCoverage prints the table. Without -full it only shows that each row can be tried.
func TestCoverage(t *testing.T) {
	rows := slices.Concat(thresholds(), comparisons(), inTurn(), budgets(), firstLine(), noLoss(), histories(), bisections(), safeLoads(), quantiles(), searches())
	rows = slices.DeleteFunc(rows, func(r row) bool { return !strings.Contains(r.about+": "+r.statement+"; "+r.under, *only) })
	results, took := make([]outcome, len(rows)), make([]time.Duration, len(rows))
	var done sync.WaitGroup
	cpus := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, r := range rows {
		times := r.times
		if !*full {
			times = min(smoke, max(1, r.times/100))
		}
		done.Go(func() {
			cpus <- struct{}{}
			began := time.Now()
			results[i] = r.run(uint64(i), times)
			took[i] = time.Since(began)
			<-cpus
		})
	}
	done.Wait()
	var table strings.Builder
	fmt.Fprintln(&table, "| statement | nominal | measured | cannot tell | verdict |\n|---|---|---|---|---|")
	for i, r := range rows {
		verdict := "holds"
		if !r.kept(results[i]) {
			verdict = "**outside**"
			if *full {
				t.Errorf("%s: %s; %s: %s, and %s is promised", r.about, r.statement, r.under, r.measured(results[i]), r.name)
			}
		}
		fmt.Fprintf(&table, "| %s: %s; %s | %s | %s | %s | %s |\n", r.about, r.statement, r.under, r.name, r.measured(results[i]), r.told(results[i]), verdict)
		t.Logf("%s: %s; %s: %.1f s", r.about, r.statement, r.under, took[i].Seconds())
	}
	fmt.Print(table.String())
	if *update {
		published(t, table.String())
	}
}

// published writes the table into the documents.
func published(t *testing.T, table string) {
	const page, from, to = "../../../docs/reference/method-appendix.md", "<!-- coverage: make coverage UPDATE=-update -->\n", "<!-- end -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), from)
	_, after, ended := strings.Cut(rest, to)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", page)
	}
	table = "`make coverage`, " + time.Now().UTC().Format(time.DateOnly) + ". In brackets: the binomial interval of the share, 95 %.\n\n" + table
	if err := os.WriteFile(page, []byte(before+from+table+to+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
