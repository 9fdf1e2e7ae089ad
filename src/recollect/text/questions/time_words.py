"""The words of times, by language: data, read by ``when.py``.

An entry is a kind and its words, with _ for a space and - for none. The first word has the place
1, and the place is the value: of a month, a weekday, a unit, a part of the day. A number before
the colon is the value instead, and a second one the place. A capital makes it count.
"""

from __future__ import annotations

WORDS = {
    "en": """
month: january february March - - - july august september october november december
month: - feb mar apr - jun jul aug sep oct nov dec ; month 9: sept
named: jan - - april May june ; maybe: - - march - may
weekday: monday tuesday wednesday thursday friday saturday sunday
weekday: mon tue wed thu fri ; weekday: - tues - thurs ; weekend: weekend
season: spring summer autumn winter ; season 3: fall ; plain: Spring
day -2: day_before_yesterday the_day_before_yesterday ; day -1: yesterday
day 0: today earlier_today ; day 1: tomorrow ; day 2: day_after_tomorrow the_day_after_tomorrow
hours 0: this_morning this_afternoon this_evening tonight ; hours -1: - - - last_night
part: morning afternoon evening night ; habit: mornings afternoons evenings nights
clock: minute hour ; clock: minutes hours ; clock: mins hrs
unit: - - day week month quarter year ; units: - - days weeks months quarters years
nth: first second third fourth fifth
relative -2: - - - week_before_last month_before_last - year_before_last
count: one two three four five six seven eight nine ten eleven twelve ; count 1 1: a an
count 2 3: couple couple_of a_couple a_couple_of ; count 2 6: few a_few ; count 3 9: several
last 1: last ; past: past ; this: this ; next: next
ago: ago ; over: over more_than at_least ; under: less_than
since: since starting ; until: until till up_to as_of through ; before: before prior_to
after: after ; in: in on at during around throughout within ; from: from ; onward: onward onwards
between: between ; to: to ; and: and ; or: or ; of: of ; the: the
mid: early late mid beginning_of start_of middle_of end_of
mid: the_beginning_of the_start_of the_middle_of the_end_of
asked: how_many how_long ; when: when ; life: born died
filler: have has had are were is was did there it been passed elapsed gone ; by: by
plain: what which who where why how do does i we my our you me about for with that not
""",
    "de": """
month: januar februar marz april mai juni juli august september oktober november dezember
month: janner - maerz
weekday: montag dienstag mittwoch donnerstag freitag samstag sonntag ; weekday 6: sonnabend
weekend: wochenende
season: fruhling sommer herbst winter ; season: fruhjahr
day -2: vorgestern ; day -1: gestern ; day 0: heute ; day 1: morgen ; day 2: ubermorgen
hours 0: heute_morgen ; hours 0: heute_fruh ; hours -1: gestern_morgen - - letzte_nacht
part: vormittag nachmittag abend nacht
plain: am_morgen der_morgen den_morgen dem_morgen jeden_morgen guten_morgen
clock: minute stunde ; clock: minuten stunden ; unit: - - tag woche monat quartal jahr
nth: erste zweite dritte vierte funfte ; nth: ersten zweiten dritten vierten funften
units: - - tage wochen monate quartale jahre ; units: - - tagen - monaten quartalen jahren
count: ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf
count 1 1: eine einem einer eines einen ; count 2 6: paar ein_paar einigen wenigen
count 3 9: mehreren
last 1: letzte letzten letzter letztes letztem vergangene vergangenen vergangener vergangenes
last 1: vorige vorigen voriger voriges ; last 2: vorletzte vorletzten vorletzter vorletztes
this: diese diesen dieser dieses diesem
next: nachste nachsten nachster nachstes kommende kommenden kommender kommendes
ago: her ; vor: vor ; over: mehr_als mindestens ; under: weniger_als
since: seit ab ; until: bis ; after: nach ; in: in im am an um gegen wahrend zum uber
from: von vom ; between: zwischen ; and: und ; or: oder ; article: der die das den dem des
mid: anfang mitte ende
asked: wie_viele wie_vielen wie_lange wie_lang ; when: wann ; life: geboren gestorben
filler: ist sind war waren es hat liegen lagen lag vergingen vergangen
plain: was wer wo wie warum welche welcher welches ich wir mein unser nicht mit fur zu habe hast
plain: haben wurde wurden auf bei aus wird man mir uns hier steht
""",
    "es": """
month: enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
month 9: setiembre
weekday: lunes martes miercoles jueves viernes sabado domingo ; weekend: fin_de_semana
onday: el_lunes el_martes el_miercoles el_jueves el_viernes el_sabado el_domingo
season: primavera verano otono invierno
day -2: anteayer antier antes_de_ayer ; day -1: ayer ; day 0: hoy ; day 1: manana
day 2: pasado_manana
hours 0: esta_manana esta_tarde - esta_noche ; hours -1: - - - anoche
part: por_la_manana por_la_tarde - por_la_noche
plain: la_manana de_la_manana las_mananas cada_manana
clock: minuto hora ; clock: minutos horas
nth: primera segunda tercera cuarta quinta
unit: - - dia semana mes trimestre ano ; units: - - dias semanas meses trimestres anos
count: uno dos tres cuatro cinco seis siete ocho nueve diez once doce ; count 1 1: un una
count 2 3: par_de un_par_de ; count 2 6: unos unas pocos pocas algunos algunas
count 3 9: varios varias
gone 1: pasado pasada ; past: ultimo ultima ; recent: ultimos ultimas ; this: este esta
coming: proximo proxima proximos proximas que_viene
back: hace ; over: mas_de al_menos ; under: menos_de
since: desde a_partir_de a_partir_del ; until: hasta ; before: antes_de antes_del
after: despues_de despues_del ; in: en durante ; from: del ; between: entre
to: a al ; and: y ; or: o ; of: de ; article: el la los las
mid: principios_de a_principios_de mediados_de a_mediados_de finales_de a_finales_de
asked: cuantos cuantas cuanto_tiempo ; when: cuando ; life: nacio nacido nacida murio
filler: han ha hay habia han_pasado ha_pasado pasaron transcurrieron
plain: que quien donde como por cual cuales mi mis nuestro se con para sobre nos lo su fue
""",
    "fr": """
month: janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
onday: lundi mardi mercredi jeudi vendredi samedi dimanche ; weekend: weekend week_end
plain: le_lundi le_mardi le_mercredi le_jeudi le_vendredi le_samedi le_dimanche
season: printemps ete automne hiver ; onseason: au_printemps
day -2: avant_hier ; day -1: hier ; day 0: aujourd_hui ; day 1: demain ; day 2: apres_demain
hours 0: ce_matin cet_apres_midi ce_soir cette_nuit ; part: matin apres_midi soir
clock: minute heure ; clock: minutes heures
unit: - - jour semaine mois trimestre annee ; unit 7: an
nth: premiere deuxieme troisieme quatrieme cinquieme
units: - - jours semaines - trimestres annees ; units 7: ans
count: un deux trois quatre cinq six sept huit neuf dix onze douze ; count 1 1: une
count 2 6: quelques ; count 3 9: plusieurs
gone 1: dernier derniere passe passee ; recent: derniers dernieres ; this: ce cet cette ces
coming: prochain prochaine prochains prochaines
back: il_y_a ; over: plus_de plus_d au_moins ; under: moins_de moins_d
since: depuis a_partir_de a_partir_du ; until: jusqu_a jusqu_au jusqu_en
before: avant ; after: apres ; from: de du d ; between: entre
in: en dans pendant durant lors_de lors_du au_cours_de au_cours_des au_mois_de vers
to: a au ; and: et ; or: ou ; article: le la les l ; mid: debut mi fin
asked: combien_de ; when: quand ; life: ne nee mort morte decede
filler: sont est s se ecoule ecoules temps
plain: qui que quoi quel quelle comment pourquoi je j nous on notre nos mon ma avec pour sur des
plain: qu avons ai avait etait dit fait
""",
    "zh": """
day -2: 前天 ; day -1: 昨天 昨日 ; day 0: 今天 今日 ; day 1: 明天 ; day 2: 后天 ; weekend: 周末
hours 0: 今早 - - 今晚 ; hours 0: 今天早上 ; hours -1: - - - 昨晚
season: 春天 夏天 秋天 冬天
clock: 分钟 小时 ; clock: - 个小时
unit: - - 天 周 月 季度 年 ; unit: - - - 星期 个月 ; unit: - - - 个星期
relative -2 7: 前年 ; relative -1 7: 去年 ; relative 0 7: 今年 ; relative 1 7: 明年
count: 一 二 三 四 五 六 七 八 九 十 ; count 2 2: 两 ; count 2 6: 几
last 1: 上 ; past: 过去 最近 ; this: 这 本 ; next: 下 ; ago: 前
plain: 什么 我们 我 的 了
""",
}
