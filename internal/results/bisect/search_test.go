package bisect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
)

// lab is a repository of the test's. The file "rate" of a commit is how fast it is, and
// a file "broken" keeps it from building.
type lab struct {
	t       *testing.T
	dir     string
	layouts int // of a search
}

func newLab(t *testing.T) lab {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Somebody")
		t.Setenv("GIT_"+who+"_EMAIL", "somebody@example.org")
	}
	l := lab{t: t, dir: t.TempDir()}
	l.git("init", "--quiet", "--initial-branch=main")
	return l
}

func (l lab) git(args ...string) string {
	l.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = l.dir
	out, err := c.CombinedOutput()
	if err != nil {
		l.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit makes one with a rate, that builds or does not.
func (l lab) commit(name string, rate int, builds bool) {
	l.t.Helper()
	write := func(file, text string) {
		if err := os.WriteFile(filepath.Join(l.dir, file), []byte(text), 0o644); err != nil {
			l.t.Fatal(err)
		}
	}
	write("rate", strconv.Itoa(rate))
	write("name", name)
	os.Remove(filepath.Join(l.dir, "broken"))
	if !builds {
		write("broken", "")
	}
	l.git("add", "--all")
	l.git("commit", "--quiet", "--message", name)
	l.git("tag", name)
}

// line makes a line of commits c0, c1 ... with these rates; those named do not build.
func (l lab) line(rates []int, broken ...int) {
	l.t.Helper()
	var b strings.Builder
	for i, rate := range rates {
		name := fmt.Sprintf("c%d", i)
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter Somebody <somebody@example.org> %d +0000\ndata %d\n%s\n",
			1700000000+i, len(name), name)
		files := map[string]string{"rate": strconv.Itoa(rate), "name": name}
		if slices.Contains(broken, i) {
			files["broken"] = "yes"
		} else if i > 0 && slices.Contains(broken, i-1) {
			b.WriteString("D broken\n")
		}
		for file, text := range files {
			fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", file, len(text), text)
		}
		fmt.Fprintf(&b, "reset refs/tags/%s\nfrom refs/heads/main\n\n", name)
	}
	c := exec.Command("git", "fast-import", "--quiet")
	c.Dir, c.Stdin = l.dir, strings.NewReader(b.String())
	if out, err := c.CombinedOutput(); err != nil {
		l.t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	l.git("reset", "--quiet", "--hard", "main")
}

// measurer reads the rate of a build out of its file, with noise.
type measurer struct {
	noise   float64 // standard deviation of one repeat, as a ratio
	random  *rand.Rand
	asked   []string // commits, in order
	repeats []int
	fail    string                          // the commit whose UPF does not run
	blur    map[string]float64              // noise of a commit, in place of the other
	before  func(ctx context.Context) error // called first
}

func (m *measurer) Measure(ctx context.Context, good, other Program, repeats int, of *Reading) ([]Reading, error) {
	if m.before != nil {
		if err := m.before(ctx); err != nil {
			return nil, err
		}
	}
	m.asked, m.repeats = append(m.asked, other.Commit.Subject), append(m.repeats, repeats)
	if other.Commit.Subject == m.fail {
		return nil, BuildError{"its UPF does not run"}
	}
	noise := m.noise
	if n, is := m.blur[other.Commit.Subject]; is {
		noise = n
	}
	a, b := rateOf(good), rateOf(other)
	reach := 2 * noise / math.Sqrt(float64(repeats))
	worse := 1 - b/a + reach*(m.random.Float64()-0.5)/2
	r := Reading{Metric: compare.RxPPS, Kind: record.KindLoad, Direction: record.Uplink, Load: "max", Good: a, Other: b, Worse: worse,
		Lo: worse - reach, Hi: worse + reach, Repeats: repeats, Known: true}
	r.Shown = r.Lo > 0
	same := Reading{Metric: compare.CPU, Kind: record.KindLoad, Direction: record.Uplink, Load: "max", Lo: -0.1,
		Hi: 0.1, Known: true, Repeats: repeats}
	if of != nil && !of.Same(r) {
		return nil, fmt.Errorf("asked for %s", of.Name())
	}
	return []Reading{same, r}, nil
}

func rateOf(p Program) float64 {
	text, err := os.ReadFile(p.Value)
	if err != nil {
		panic(err)
	}
	v, _ := strconv.ParseFloat(string(text), 64)
	return v
}

// find searches between two commits; the repository must be as it was afterwards.
func (l lab) find(m *measurer, good, bad string) (*Result, error) {
	l.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if m.random == nil {
		m.random = rand.New(rand.NewPCG(1, 2))
	}
	before := l.state()
	repo, err := OpenRepository(ctx, l.dir)
	if err != nil {
		l.t.Fatal(err)
	}
	trees, _, err := NewWorktrees(ctx, repo)
	if err != nil {
		l.t.Fatal(err)
	}
	r := &Result{Good: l.named(repo, good), Bad: l.named(repo, bad)}
	s := Search{Repo: repo, Measure: m, Repeats: 5, MaxRepeats: 40, Layouts: l.layouts, Progress: func(string) {}, Save: func(*Result) error { return nil },
		Builder: Command{Trees: trees, Claim: claim(l.t),
			Args: []string{"sh", "-c", "test ! -e broken && cp rate built"}, Program: "built", Logs: l.t.TempDir()}}
	failed := s.Run(ctx, r)
	if err := trees.Close(); err != nil {
		l.t.Error(err)
	}
	if after := l.state(); after != before {
		l.t.Errorf("the repository was\n%s\nand is\n%s", before, after)
	}
	return r, failed
}

func (l lab) named(repo *Repository, ref string) Commit {
	l.t.Helper()
	c, err := repo.Commit(context.Background(), ref)
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

// state is all that a user sees of a repository.
func (l lab) state() string {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "upflab-bisect-*"))
	trees, _ := os.ReadDir(filepath.Join(l.dir, ".git", "worktrees"))
	return l.git("status", "--porcelain", "--branch") + l.git("for-each-ref") + fmt.Sprint(left, trees)
}

// TestFindsTheCommit: wherever it is in a line of twenty commits, in no more than the
// steps that halving takes.
func TestFindsTheCommit(t *testing.T) {
	const n = 20
	for _, slow := range []int{1, 13} {
		t.Run(fmt.Sprint(slow), func(t *testing.T) {
			l := newLab(t)
			l.line(slices.Concat(slices.Repeat([]int{1000}, slow), slices.Repeat([]int{900}, n+1-slow)))
			m := &measurer{noise: 0.02}
			r, err := l.find(m, "c0", "HEAD")
			if err != nil || r.Outcome != Found || r.First.Subject != fmt.Sprintf("c%d", slow) {
				t.Fatalf("%v, %s %+v %s", err, r.Outcome, r.First, r.Why)
			}
			if r.Commits != n || len(r.Steps) > 5 || r.Check.Metric != compare.RxPPS {
				t.Errorf("%d commits, %d steps by %s", r.Commits, len(r.Steps), r.Check.Name())
			}
		})
	}
}

// TestSkipsWhatDoesNotBuild: as long as the neighbours build the commit is found; else
// it is one of several.
func TestSkipsWhatDoesNotBuild(t *testing.T) {
	l := newLab(t)
	l.line(slices.Concat(slices.Repeat([]int{1000}, 8), slices.Repeat([]int{800}, 4)), 5, 6)
	m := &measurer{noise: 0.02, fail: "c4"}
	r, err := l.find(m, "c0", "HEAD")
	if err != nil || r.Outcome != Found || r.First.Subject != "c8" {
		t.Fatalf("%v, %s %+v %s", err, r.Outcome, r.First, r.Why)
	}
	if r, err = l.find(&measurer{noise: 0.02, fail: "c7"}, "c4", "HEAD"); err != nil || r.Outcome != Range {
		t.Fatalf("%v, %s %+v", err, r.Outcome, r.First)
	}
	var names []string
	for _, c := range r.Candidates {
		names = append(names, c.Subject)
	}
	slices.Sort(names)
	if want := []string{"c5", "c6", "c7", "c8"}; !slices.Equal(names, want) || !strings.Contains(r.Why, "3 did not build or run") {
		t.Errorf("%v are left, %s", names, r.Why)
	}
}

// TestMerges: the slow commit is on a branch that was merged, or is the merge itself.
func TestMerges(t *testing.T) {
	for _, slow := range []string{"branch2", "merge"} {
		t.Run(slow, func(t *testing.T) {
			l := newLab(t)
			l.commit("base", 1000, true)
			l.git("checkout", "--quiet", "-b", "side")
			branch, merged := 1000, 850
			if slow == "branch2" {
				branch = 850
			}
			l.commit("branch1", 1000, true)
			l.commit("branch2", branch, true)
			l.commit("branch3", branch, true)
			l.git("checkout", "--quiet", "main")
			l.commit("main1", 1000, true)
			l.commit("main2", 1000, true)
			l.git("merge", "--quiet", "--no-commit", "--strategy=ours", "side")
			l.commit("merge", merged, true)
			l.commit("after", merged, true)
			r, err := l.find(&measurer{noise: 0.01}, "base", "main")
			if err != nil || r.Outcome != Found || r.First.Subject != slow {
				t.Errorf("%v, %s %+v %s", err, r.Outcome, r.First, r.Why)
			}
		})
	}
}

// TestCannotTell: a commit that scatters too much is measured again with more repeats, and
// then left open, with how many repeats would decide.
func TestCannotTell(t *testing.T) {
	l := newLab(t)
	l.line([]int{1000, 950, 900}) // the middle one is just at the limit
	m := &measurer{noise: 0.01, blur: map[string]float64{"c1": 0.5}}
	r, err := l.find(m, "c0", "c2")
	if err != nil || r.Outcome != Range || len(r.Candidates) != 2 || len(r.Steps) != 1 || r.Steps[0].Verdict != CannotTell {
		t.Fatalf("%v, %s %+v", err, r.Outcome, r.Steps)
	}
	if want := []int{5, 5}; !slices.Equal(m.repeats[:2], want) || len(m.repeats) > 2 && m.repeats[len(m.repeats)-1] > 40 {
		t.Errorf("repeats %v", m.repeats)
	}
}

// TestMoreRepeatsDecide: what five repeats leave open, more of them do not.
func TestMoreRepeatsDecide(t *testing.T) {
	l := newLab(t)
	l.line([]int{1000, 985, 900})
	m := &measurer{noise: 0.01, blur: map[string]float64{"c1": 0.05}}
	r, err := l.find(m, "c0", "c2")
	if err != nil || r.Outcome != Found || r.First.Subject != "c2" || r.Steps[0].Repeats <= 5 {
		t.Errorf("%v, %s %+v, repeats %v", err, r.Outcome, r.First, m.repeats)
	}
}

// TestNoDifference: good and bad must differ first.
func TestNoDifference(t *testing.T) {
	l := newLab(t)
	l.line([]int{1000, 1000, 999, 1200})
	m := &measurer{noise: 0.05}
	r, err := l.find(m, "c0", "c2")
	if err != nil || r.Outcome != NoDifference || len(r.Steps) != 0 || len(r.Checked) != 2 {
		t.Errorf("%v, %s %s, measured %v", err, r.Outcome, r.Why, m.asked)
	}
	if r, err = l.find(&measurer{noise: 0.01}, "c0", "c3"); err != nil || r.Outcome != NoDifference || !strings.Contains(r.Why, "swapped") {
		t.Errorf("%v, %s %s", err, r.Outcome, r.Why)
	}
}

// TestNotTheUPFs: where the bench limited every figure, the reason is the answer.
func TestNotTheUPFs(t *testing.T) {
	r := &Result{Checked: []Reading{{Metric: compare.FrameLoss, Kind: record.KindLoad, Direction: record.Uplink,
		Load: "1k", Worse: 0.4, Lo: 0.3, Hi: 0.5, Known: true,
		AtMost: true, Why: "limited by host"}}}
	if got := noDifference(r, 0); !strings.Contains(got, "frame_loss_ratio, uplink 1k: limited by host") {
		t.Error(got)
	}
}

func TestRefused(t *testing.T) {
	l := newLab(t)
	l.line([]int{1000, 900, 900}, 2)
	for _, c := range []struct{ good, bad, says string }{
		{"c1", "c0", "no ancestor"}, {"c1", "c1", "no ancestor"}, {"c0", "c2", "the bad commit"},
	} {
		r, err := l.find(&measurer{noise: 0.01}, c.good, c.bad)
		if err == nil || !strings.Contains(err.Error(), c.says) || r.Outcome != Unfinished {
			t.Errorf("%s..%s: %v, %s", c.good, c.bad, err, r.Outcome)
		}
	}
	repo, _ := OpenRepository(context.Background(), l.dir)
	if _, err := repo.Commit(context.Background(), "--all"); err == nil {
		t.Error("--all is taken for a commit")
	}
	if _, err := OpenRepository(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "--repo") {
		t.Errorf("a folder without a repository: %v", err)
	}
}

// TestInterrupted: an end in the middle leaves the repository as it was.
func TestInterrupted(t *testing.T) {
	l := newLab(t)
	l.line([]int{1000, 900, 800, 700})
	calls := 0
	m := &measurer{noise: 0.01, before: func(context.Context) error {
		if calls++; calls == 2 {
			return context.Canceled
		}
		return nil
	}}
	r, err := l.find(m, "c0", "c3")
	if !errors.Is(err, context.Canceled) || r.Outcome != Unfinished || r.Check == nil {
		t.Errorf("%v, %s", err, r.Outcome)
	}
}
