import type { causes as english } from '../en/causes.ts';

export const causes: typeof english = {
  causes: {
    about:
      'La atribución dice qué contactos vinieron antes de una venta. Estos modelos aprenden de tus propias visitas y ventas qué causaron los anuncios y qué habría llegado igualmente.',
    models: {
      data_driven:
        'El crédito pasa de una visita a lo que llevó a ella. A lo que nada llevó habría llegado igualmente.',
      markov: 'Por lo que se pierde cuando una fuente no lleva a nada, en una cadena de contacto a contacto.',
      shapley: 'Por lo que una fuente añade a cada conjunto de las otras con las que la gente se encontró.',
      calibrated:
        'Según los datos, movido por lo que midieron tus experimentos. Sus intervalos son de la verdad, no del azar.',
    },
    refusals: {
      too_thin: 'Hay muy pocas compras de las que aprender.',
      too_little_seen: 'Muy poco de lo comprado tiene un contacto conocido.',
      no_fit: 'Los modelos aún no han aprendido de este perfil. Pulsa «Aprender ahora».',
      stale: 'Lo que aprendieron es demasiado antiguo. Pulsa «Aprender ahora».',
      outside_fit: 'Han acreditado otros días. Elige arriba días que estén dentro de ellos.',
      no_test:
        'Ningún experimento sobre tus campañas terminó en los últimos 180 días con un gasto como el de hoy. Planea uno en Experimentos.',
    },
    noFigure: 'No hay cifra, y no se inventa ninguna',
    fit: 'Cómo están los modelos',
    fitted: (ago, purchases, people, seen) =>
      `Aprendieron ${ago} de ${people} personas y ${purchases} compras; el ${seen} de su valor tiene un contacto conocido.`,
    fitNow: 'Aprender ahora',
    caused: 'Lo que causaron los anuncios',
    causedRevenue: 'Ingresos causados',
    interval: 'Intervalo del 90 %',
    intervalAbout: 'Cuánto podría mover el azar la cifra si el modelo acertara. No dice nada de la verdad.',
    calibratedAbout: 'Dónde está la verdad en 9 de 10 casos, hasta donde los experimentos lo dicen.',
    tested: 'Probado',
    testedAbout: 'Un experimento lo midió.',
    tactic: 'Táctica',
    tacticAbout:
      'Lo que se cree que hace la campaña. Las campañas de una táctica aprenden de los experimentos de las otras.',
    disagree: 'Los modelos discrepan',
    disagreeAbout:
      'Este modelo, el primer contacto y el último difieren en más de tres veces. Un experimento lo aclararía.',
    toAds: 'Causado por anuncios de este nivel',
    toOthers: 'Causado por otras fuentes',
    anyway: 'Habría llegado igualmente',
    withoutTouch: 'De compradores sin contacto conocido',
    allBought: 'Todo lo comprado',
    howWrong: 'Cuánto se equivocan los modelos',
    howWrongAbout: (day, people) =>
      `Medido el ${day} en mercados simulados de ${people} personas, en los que se sabe qué causaron los anuncios. 0 es la verdad; 1 es errar tanto como decir que los anuncios no causaron nada.`,
    unseen: 'Error',
    toLastTouch: 'Frente al último contacto',
    worst: 'En el peor mercado',
  },
  advice: {
    title: 'Qué presupuestos cambiar',
    about:
      'Solo campañas de las que se sabe, con al menos un 80 % de seguridad, que traen más, o menos, de lo que cuestan. Nada cambia hasta que lo aplicas.',
    margin: 'Margen, %',
    ask: 'Mostrar consejos',
    none: 'Sin consejo',
    reasons: {
      too_thin: 'Hay muy pocas compras de las que aprender.',
      too_little_seen: 'Muy poco de lo comprado tiene un contacto conocido.',
      no_fit: 'Los modelos aún no han aprendido de este perfil. Pulsa «Aprender ahora».',
      stale: 'Lo que aprendieron es demasiado antiguo. Pulsa «Aprender ahora».',
      outside_fit: 'Han acreditado otros días.',
      no_test: 'Ningún experimento dice nada de tus campañas.',
      nothing_spent: 'Ninguna campaña que los modelos conozcan costó algo en los últimos días.',
      nothing_sure: 'De ninguna campaña se está lo bastante seguro. Un experimento lo aclararía.',
    },
    raise: (step) => `Subir un ${step}`,
    lower: (step) => `Bajar un ${step}`,
    sure: (chance) => `${chance} de seguridad`,
    because: (low, high, needed, spend) =>
      `Costó ${spend} y causó entre ${low} y ${high}; compensa a partir de ${needed}.`,
    noRequest: 'Tu rol no puede cambiar presupuestos.',
  },
  experiments: {
    about: 'La manera de saber qué causa una campaña: apagarla en la mitad de las regiones, por sorteo, y comparar.',
    none: 'Aún no hay experimentos',
    noneAbout:
      'Planifica uno arriba. Una prueba que no podría notar lo que esperas se rechaza antes de que cueste nada.',
    plan: 'Planificar un experimento',
    planAbout:
      'Las regiones con compras se emparejan por tamaño y una de cada par se deja fuera por sorteo. Apagas allí la campaña durante 28 días; una semana después se puede leer, y no antes.',
    campaign: 'Campaña',
    choose: 'Elige una',
    expected: 'Efecto esperado, %',
    planIt: 'Planificar',
    between: (kind, from, to) => `${kind}, del ${from} al ${to}.`,
    readableFrom: (day) => `El resultado se puede leer desde el ${day}.`,
    tested: (names) => `Campaña: ${names}`,
    offIn: (regions) => `Apagada en: ${regions}`,
    power: (smallest, expected) =>
      `Notaría un efecto del ${smallest} en cuatro de cada cinco casos; se espera un ${expected}.`,
    found: (lift, low, high) => `Incremento ${lift}, intervalo del 90 % de ${low} a ${high}`,
    start: 'Empezar',
    read: 'Terminar y leer',
    giveUp: 'Cancelar el experimento',
    giveUpAsk: (name) => `¿Cancelar ${name}?`,
    whyGiveUp: 'Motivo',
  },
};
