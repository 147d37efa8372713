// Package rights is what a run needs to be allowed, and why.
package rights

import (
	"context"
	"fmt"
	"io"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/plan"
)

// Right is one that a run needs.
type Right struct {
	Group, Resource, Subresource string
	Verbs                        []string
	Namespace                    string // "": the cluster's
	Why                          string
	// Optional ones are for the report: without them it says what it lacks.
	Optional bool
}

// Of lists the rights that a plan needs; secrets: it has keys, or a scenario that is a file. No
// secret is read, nothing is executed in a pod, and nothing changes outside of the plan's
// namespace.
func Of(p *plan.Plan, secrets bool) []Right {
	ns := p.Namespace
	list := []Right{
		{"coordination.k8s.io", "leases", "", []string{"create", "get", "list", "update", "delete"}, ns,
			"a run holds a lease, which owns what it makes, and finds those of killed runs", false},
		{"batch", "jobs", "", []string{"create", "list", "delete"}, ns, "pods are made by jobs", false},
		{"", "pods", "", []string{"list"}, ns, "to see that pods run, where, and at which address", false},
		{"", "pods", "log", []string{"get"}, ns, "progress and results come through the log", false},
		{"", "events", "", []string{"list"}, ns, "to say why a pod does not start", true},
		{"", "nodes", "", []string{"get"}, "", "to record kernel, CPUs, huge pages and labels of the nodes", true},
	}
	if secrets {
		list = append(list, Right{"", "secrets", "", []string{"create", "delete"}, ns,
			"keys of the hub and of the pods that take part, and a scenario that is a file", false})
	}
	if p.UPF != nil && p.UPF.Namespace != ns {
		list = append(list, Right{"", "pods", "", []string{"list"}, p.UPF.Namespace, "to find the UPF by its labels", false})
	}
	for _, space := range networkNamespaces(p) {
		list = append(list, Right{"k8s.cni.cncf.io", "network-attachment-definitions", "", []string{"get"}, space,
			"to record which CNI plugin makes a network", true})
	}
	return list
}

// JobSets is the right to make one.
func JobSets(p *plan.Plan) Right {
	return Right{"jobset.x-k8s.io", "jobsets", "", []string{"create", "delete"}, p.Namespace,
		"generators and sink are one JobSet where the cluster has it", true}
}

// networkNamespaces are those of the networks of a plan.
func networkNamespaces(p *plan.Plan) (list []string) {
	seen := map[string]bool{}
	pods := []plan.Pod{p.Lead.Pod, p.Hub}
	for _, h := range p.Hosts() {
		pods = append(pods, h.Pod)
	}
	for _, pod := range pods {
		for _, n := range pod.Networks {
			space, _ := plan.SplitName(n.Name)
			if space == "" {
				space = p.Namespace
			}
			if !seen[space] {
				seen[space] = true
				list = append(list, space)
			}
		}
	}
	return list
}

// Refused is a right that the cluster does not give.
type Refused struct {
	Right Right
	Verb  string
	Why   string // as the cluster says; often ""
}

// Error is a sentence.
func (r *Refused) Error() string {
	where := "in the cluster"
	if r.Right.Namespace != "" {
		where = "in namespace " + r.Right.Namespace
	}
	text := fmt.Sprintf("the cluster does not allow you to %s %s %s, which a run needs: %s", r.Verb, r.Right.name(), where, r.Right.Why)
	if r.Why != "" {
		text += " (" + r.Why + ")"
	}
	return text + "; `upflab-kubernetes rights` writes the role that an administrator can give you"
}

func (r Right) name() string {
	if r.Subresource != "" {
		return r.Resource + "/" + r.Subresource
	}
	return r.Resource
}

// Check asks the cluster for each right. It returns the first that is refused; those that
// are optional only as missing.
func Check(ctx context.Context, c kubernetes.Interface, list []Right) (missing []*Refused, err error) {
	for _, r := range list {
		for _, verb := range r.Verbs {
			refused, err := ask(ctx, c, r, verb)
			switch {
			case err != nil:
				return nil, fmt.Errorf("ask the cluster what it allows: %w", err)
			case refused == nil:
			case r.Optional:
				missing = append(missing, refused)
			default:
				return nil, refused
			}
		}
	}
	return missing, nil
}

func ask(ctx context.Context, c kubernetes.Interface, r Right, verb string) (*Refused, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
		Namespace: r.Namespace, Verb: verb, Group: r.Group, Resource: r.Resource, Subresource: r.Subresource}}}
	answer, err := c.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	if answer.Status.Allowed {
		return nil, nil
	}
	return &Refused{r, verb, answer.Status.Reason}, nil
}

// Write writes the roles as YAML: one for each namespace, and one of the cluster.
func Write(out io.Writer, p *plan.Plan) error {
	roles := map[string]*rbacv1.ClusterRole{}
	var order []string
	for _, r := range append(Of(p, true), JobSets(p)) {
		if roles[r.Namespace] == nil {
			roles[r.Namespace] = &rbacv1.ClusterRole{}
			order = append(order, r.Namespace)
		}
		roles[r.Namespace].Rules = append(roles[r.Namespace].Rules,
			rbacv1.PolicyRule{APIGroups: []string{r.Group}, Resources: []string{r.name()}, Verbs: r.Verbs})
	}
	for _, space := range order {
		var role any
		meta := metav1.ObjectMeta{Name: "upflab", Namespace: space}
		if space == "" {
			role = &rbacv1.ClusterRole{TypeMeta: typed("ClusterRole"), ObjectMeta: meta, Rules: roles[space].Rules}
		} else {
			role = &rbacv1.Role{TypeMeta: typed("Role"), ObjectMeta: meta, Rules: roles[space].Rules}
		}
		b, err := yaml.Marshal(role)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "---\n%s", b); err != nil {
			return err
		}
	}
	return nil
}

func typed(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}
