package campaign

import (
	"context"

	"github.com/upflab/upflab/internal/measure/campaign/control"
)

// visitControl studies a UPF's control plane. Wire has no N4: it has the trials that the study is compared with.
func visitControl(ctx context.Context, v *visit) error {
	if v.out.Reference {
		return visitLoads(ctx, v)
	}
	return control.Study(ctx, v.Book, v.Testbed, v.Meter, v.target, v.out)
}
