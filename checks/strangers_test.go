package checks_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crosstalk/internal/words"
)

// Strangers' texts come from two sources that have nothing to do with each
// other: paragraphs of the kind people send to models, put together below, and
// the prose of the Go tree. A quarter of the second was at hand when the bounds on
// paragraphs were chosen; tests use the rest.

var (
	strangerNames  = []string{"Marta Olsson", "Devon Blake", "Priya Raman", "Tomasz Wilk", "Aisha Bello", "Henrik Dahl", "Lucía Ortega", "Kenji Mori", "Carla Neumann", "Sam O'Connor"}
	strangerPlaces = []string{"Rotterdam", "Fresno", "Leeds", "Kraków", "Nagoya", "Bologna", "Tampere", "Curitiba", "Galway", "Pune"}
	strangerFirms  = []string{"Birchwood Dental", "Halden Freight", "Northgate Credit Union", "Solis Energy", "Pemberton & Wade", "Kestrel Avionics"}
)

// strangerForms are paragraphs with %N name, %P place, %F firm, %D number.
var strangerForms = []string{
	`Dear %N, following our call on Tuesday I have attached the revised lease for the flat in %P. The landlord agreed to drop the deposit to %D euros but insists that the pets clause stays. Please sign page four and send it back before Friday so the movers can be booked.`,
	`Patient %N, aged %D, presented with intermittent chest tightness and shortness of breath after climbing stairs. ECG showed sinus rhythm, troponin negative. Started on a low dose beta blocker and referred to cardiology at the %P clinic for a stress test.`,
	`The quarterly revenue of %F rose by %D percent, driven mainly by subscriptions in the Nordic region. Operating costs climbed as well because of higher freight rates, and management expects margins to shrink slightly in the second half.`,
	`To make the dumplings, mix minced pork with ginger, spring onions, soy sauce and a spoonful of sesame oil. Fold each wrapper around the filling, pinch the edges, and fry them until the bottoms turn golden before adding water and steaming for %D minutes.`,
	`I've been married for %D years and lately my husband barely speaks to me at dinner. He stays late at the office and hides his phone. My sister in %P says I should confront him, but I'm afraid of what I might hear.`,
	`func (c *Cache) evict(key string) error { node, found := c.lookup[key]; if !found { return ErrMissing }; c.list.Remove(node); delete(c.lookup, key); metrics.Evictions.Inc(); return c.disk.Unlink(filepath.Join(c.root, hash(key))) }`,
	`{"customer": "%N", "city": "%P", "invoice": %D, "items": [{"sku": "lamp-oak", "qty": 2, "price": 49.5}, {"sku": "rug-wool", "qty": 1, "price": 210}], "carrier": "%F", "delivery": "friday morning", "gift": true, "remarks": "ring the side bell twice"}`,
	`Ticket opened by %N at %F: since the firmware upgrade the badge readers on the third floor reject every employee card. Rebooting the controller helps for roughly an hour. Facilities already replaced one reader without any improvement.`,
	`The dragon circled the burning tower while %N crouched beneath the shattered drawbridge, clutching the silver horn. Somewhere in the smoke the old king laughed. "You came too late," he whispered, and the river below began to boil.`,
	`Photosynthesis converts carbon dioxide and water into glucose using sunlight captured by chlorophyll. The light reactions in the thylakoid membranes split water, release oxygen, and store energy in ATP, which the Calvin cycle then spends to fix carbon.`,
	`SELECT employees.surname, departments.city, SUM(payroll.gross) FROM employees JOIN departments ON departments.id = employees.department_id JOIN payroll ON payroll.employee_id = employees.id WHERE departments.city = '%P' GROUP BY employees.surname HAVING SUM(payroll.gross) > %D`,
	`2026-03-%D 08:14:22 WARN gateway: retrying upstream payments after socket hangup, tenant halden-freight, shard blue. 2026-03-%D 08:14:25 ERROR ledger: constraint violation while inserting refund for customer %N, rolling back transaction, alerting pager rotation.`,
	`Our flight from %P was cancelled at midnight and the airline put us in a hotel with no heating. The kids were freezing. I want a refund for the tickets, the taxi and the %D pounds we spent on dinner, otherwise I will contact my lawyer.`,
	`Under the shareholder agreement between %N and %F, neither party may transfer shares to a competitor without prior consent. Breach triggers a penalty of %D thousand euros, payable within thirty days, and disputes are settled by arbitration in %P.`,
	`Three sets of squats, two minutes of rest, then lunges with dumbbells until failure. Eat oatmeal and eggs for breakfast, chicken with rice at noon, and skip sugar entirely. After %D weeks your knees should hurt less and your sleep will deepen.`,
	`Sehr geehrte Frau Neumann, leider müssen wir Ihnen mitteilen, dass Ihr Antrag auf Elterngeld abgelehnt wurde, da das Einkommen des Vaters die Grenze überschreitet. Gegen diesen Bescheid können Sie innerhalb eines Monats Widerspruch beim Jugendamt %P einlegen.`,
	`Bonjour docteur, depuis mardi ma fille tousse la nuit et refuse de manger. Elle a de la fièvre, environ %D degrés, et des taches rouges sur le ventre. Faut-il venir aux urgences de %P ou attendre le rendez-vous de jeudi ?`,
	`El contrato de alquiler del local en %P vence en septiembre y el propietario quiere subir la renta un veinte por ciento. Propongo buscar otro almacén cerca del puerto, donde los camiones de %F puedan descargar sin pagar peaje.`,
	`Уважаемый %N, ваш рейс задержан из-за грозы над аэропортом. Багаж останется в самолёте, а пассажиров разместят в гостинице у вокзала. Ужин оплачивает авиакомпания, завтрак подадут в шесть утра, автобус отправится в половине седьмого.`,
	`患者张先生今年四十七岁，三天前开始出现咳嗽和低烧，昨晚体温升到三十九度。胸片显示右下肺有阴影，血常规白细胞升高。建议住院治疗，先用头孢静脉滴注，同时复查肝功能，家属已经签字同意。`,
	`来週の出張ですが、大阪の工場で新しい金型を確認した後、夕方の新幹線で名古屋に移動し、佐藤部長と夕食をとる予定です。見積書は金曜日までに経理へ送り、部品の納期が遅れる場合は早めに取引先へ連絡してください。`,
	`지난주에 주문한 세탁기가 아직 배송되지 않았습니다. 고객센터에 세 번 전화했지만 기사님이 연락하겠다는 말만 반복합니다. 이번 주 금요일까지 설치가 안 되면 환불하고 다른 매장에서 구입하겠습니다.`,
	`Grandma's will leaves the cottage near %P to my brother and the piano to me. Nobody mentioned the orchard. The notary thinks the orchard belongs to the cottage, yet the tax office has billed me for it since %D. Who is supposed to mow the grass?`,
	`Configure the router with a static address, disable the guest wireless network, and forward port %D to the camera recorder in the garage. Afterwards reboot the modem, open the mobile app, and pair the doorbell with the chime downstairs.`,
}

// stranger puts together a text of a stranger of at least min words.
func stranger(r *rand.Rand, min int) string {
	var parts []string
	for words.Count(strings.Join(parts, " ")) < min {
		form := strangerForms[r.IntN(len(strangerForms))]
		parts = append(parts, strings.NewReplacer(
			"%N", pick(r, strangerNames), "%P", pick(r, strangerPlaces), "%F", pick(r, strangerFirms),
			"%D", fmt.Sprint(3+r.IntN(90)),
		).Replace(form))
	}
	return strings.Join(parts, "\n\n")
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// goProse returns paragraphs of at least min words from package comments of the
// Go tree and from its other texts.
func goProse(t *testing.T, min int) []string {
	t.Helper()
	root := filepath.Join(build.Default.GOROOT, "src")
	var all []string
	add := func(text string) {
		for _, p := range strings.Split(text, "\n\n") {
			if n := words.Count(p); n >= min && n <= 200 {
				all = append(all, p)
			}
		}
	}
	for _, dir := range []string{"net", "text", "encoding", "os", "crypto", "image", "database", "time", "sync", "math", "go", "archive", "log", "unicode", "compress", "testing", "hash", "html", "mime", "regexp", "runtime"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err == nil {
				addComments(f, add)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "compress", "testdata", "gettysburg.txt"))
	if err != nil {
		t.Fatal(err)
	}
	add(string(text))
	slices.Sort(all)
	all = slices.Compact(all)
	for i := 0; i < len(all); i += 3 {
		all = slices.Delete(all, i, i+1)
	}
	return all
}

func addComments(f *ast.File, add func(string)) {
	if strings.HasPrefix(f.Doc.Text(), "Package") {
		add(f.Doc.Text())
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Doc.Text())
		case *ast.GenDecl:
			add(d.Doc.Text())
		}
	}
}
