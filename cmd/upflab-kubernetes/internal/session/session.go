// Package session is one run in a cluster: it makes the pods, follows them, takes the
// result from the log, and removes everything.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/objects"
	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/plan"
	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/rights"
	"github.com/upflab/upflab/internal/record"
)

// ScenarioPath is where the lead has a scenario that is a file.
const ScenarioPath = objects.KeysPath + "/" + objects.ScenarioFile

// Clients reach the cluster.
type Clients struct {
	Core    kubernetes.Interface
	Dynamic dynamic.Interface // of JobSets and networks
	// Logs reads a pod's log; nil: by Core.
	Logs func(ctx context.Context, pod string, follow bool) (io.ReadCloser, error)
}

// Work is what is to be run.
type Work struct {
	Upflab    string   // the program that makes keys
	Out       string   // folder of the result
	Arguments []string // of upflab run
	Scenario  []byte   // the file that Arguments names by ScenarioPath; nil: none
	Name      string   // of that file
}

// Session is one run.
type Session struct {
	reading
	work  Work
	out   io.Writer
	maker objects.Maker

	missing []*rights.Refused // that the report can do without
	made    string            // "Job" or "JobSet"
	started []string          // names of the pods that ran
	upf     *foundUPF         // nil: none is looked for
	ends    []string          // settings: the addresses of generator-0 and sink, where Multus reports them
	every   time.Duration     // between renewals of the lease
}

// reading is what a session reads of a cluster.
type reading struct {
	Clients
	plan *plan.Plan
	poll time.Duration // how often it is asked
}

// New prepares a run. What happens is written to out.
func New(c Clients, p *plan.Plan, w Work, out io.Writer) *Session {
	s := &Session{reading: reading{c, p, 500 * time.Millisecond}, work: w, out: out, made: "Job", every: 4 * time.Second}
	s.maker = objects.Maker{Plan: p, Run: newRunID()}
	if s.Logs == nil {
		s.Logs = func(ctx context.Context, pod string, follow bool) (io.ReadCloser, error) {
			return c.Core.CoreV1().Pods(p.Namespace).GetLogs(pod, &corev1.PodLogOptions{Container: objects.Container, Follow: follow}).Stream(ctx)
		}
	}
	return s
}

func (s *Session) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// Run makes the run, and gives the exit status of `upflab run` in its pod. The result is in
// the folder then, with cluster.json.
func (s *Session) Run(ctx context.Context) (status int, err error) {
	if s.missing, err = rights.Check(ctx, s.Core, rights.Of(s.plan, s.secrets())); err != nil {
		return 0, err
	}
	for _, m := range s.missing {
		s.say("warning: %s", m.Error())
	}
	if names := s.plan.BestEffort(); len(names) > 0 {
		s.say("warning: no cpus are set for %s: on a busy node their pods get the CPU time that others leave; set "+
			"cpus and memory", strings.Join(names, ", "))
	}
	if err := s.Clean(ctx); err != nil {
		return 0, err
	}
	if s.upf, err = s.findUPF(ctx); err != nil {
		return 0, err
	}
	hold, stop := context.WithCancel(ctx)
	defer stop()
	lost, err := s.hold(hold, stop)
	if err != nil {
		return 0, err
	}
	defer func() {
		ending, done := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer done()
		if removed := s.remove(ending, s.maker.Run); removed != nil {
			err = errors.Join(err, fmt.Errorf("%w; `upflab-kubernetes clean` removes it", removed))
		}
	}()
	status, err = s.measure(hold)
	if gone := lost(); gone != nil {
		err = gone
	}
	return status, err
}

// secrets reports whether the run makes any.
func (s *Session) secrets() bool { return s.plan.Apart() || s.work.Scenario != nil }

// measure starts the pods and takes the result.
func (s *Session) measure(ctx context.Context) (int, error) {
	if s.plan.Apart() {
		if err := s.startHosts(ctx); err != nil {
			return 0, err
		}
	} else if s.work.Scenario != nil {
		if err := s.makeSecret(ctx, "passes", map[string][]byte{objects.ScenarioFile: s.work.Scenario}); err != nil {
			return 0, err
		}
	}
	if err := s.makeJob(ctx, s.maker.LeadJob(s.arguments(), s.devices(), s.work.Scenario != nil)); err != nil {
		return 0, err
	}
	pod, err := s.running(ctx, record.RoleLead)
	if err != nil {
		return 0, err
	}
	s.say("lead      pod %s on node %s", pod.Name, pod.Spec.NodeName)
	log, status, err := s.follow(ctx, pod.Name)
	if err != nil {
		return 0, s.explainEnd(ctx, err)
	}
	if status != 0 {
		err = s.lostPods(ctx)
	}
	return status, errors.Join(err, s.writeCluster(ctx, log))
}

// arguments of upflab run in the lead: those of the plan come first, so that the user's have
// the last word.
func (s *Session) arguments() []string {
	args := slices.Clone(s.work.Arguments[:1])
	for _, set := range slices.Concat(s.plan.Settings(), s.upf.settings(), s.ends) {
		args = append(args, "--set", set)
	}
	return append(args, s.work.Arguments[1:]...)
}

// devices are the settings that the lead reads from its devices: the addresses of SMF, gNB
// and data network, where it is these.
func (s *Session) devices() (list []string) {
	if s.plan.UPF != nil {
		list = append(list, "n4.smf="+cmp.Or(s.plan.Lead.N4, "eth0"))
	}
	if !s.plan.Apart() && s.plan.Lead.N3 != "" {
		list = append(list, "n3.gnb="+s.plan.Lead.N3, "n6.dn="+s.plan.Lead.N6)
	}
	return list
}

func (s *Session) makeSecret(ctx context.Context, role string, files map[string][]byte) error {
	_, err := s.Core.CoreV1().Secrets(s.plan.Namespace).Create(ctx, s.maker.Secret(role, files), metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("make a Secret: %w", err)
	}
	return nil
}

func (s *Session) makeJob(ctx context.Context, j *batchv1.Job) error {
	if _, err := s.Core.BatchV1().Jobs(s.plan.Namespace).Create(ctx, j, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("make the job %s: %w", j.Name, err)
	}
	return nil
}

// Show writes the objects as YAML that a run would make. Addresses and keys are not known
// yet.
func (s *Session) Show(ctx context.Context, out io.Writer) error {
	var err error
	if s.upf, err = s.findUPF(ctx); err != nil {
		return err
	}
	var jobs []*batchv1.Job
	if s.plan.Apart() {
		jobs = append(jobs, s.maker.HubJob())
		for i := range s.plan.Hosts() {
			jobs = append(jobs, s.maker.HostJob(i))
		}
	}
	for _, j := range append(jobs, s.maker.LeadJob(s.arguments(), s.devices(), s.work.Scenario != nil)) {
		j.TypeMeta = metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}
		b, err := yaml.Marshal(j)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "---\n%s", strings.TrimSuffix(string(b), "status: {}\n"))
	}
	return nil
}

// holder says who holds a lease.
func holder() string {
	name, _ := os.Hostname()
	return fmt.Sprintf("%s/%d", name, os.Getpid())
}
