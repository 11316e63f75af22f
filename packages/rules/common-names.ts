/**
 * Common given names and surnames in Spanish, Portuguese and English, in lower case without accents, sorted. They are
 * used to tell an opaque id from a name. Three kinds of names are left out, because rejecting a valid id is worse:
 * names of one or two letters, names that hexadecimal ids spell by chance (ada, bea), and names that are ordinary
 * words in ids (stone, king, mesa).
 */
const names = `
  aaron abarca acevedo acosta acuna adam adams adrian adriana adriano afonso agnes aguayo aguilar aguilera aguirre agustin aidan
  alan alarcon albert alberto albornoz albuquerque alcantara alejandra alejandro alex alexander alexandra alexandre alexis
  alfonso alfredo alice alicia aline alison allen allison almeida alonso alvarado alvarez alvaro alves alyssa amalia amanda
  amaral amelia amorim amy ana anais anderson andrade andrea andres andrew andrews angela angelica angie anita anna anne annie
  anthony antonia antonieta antonio antunez aragao aranda araneda araujo aravena araya arce arellano arevalo arias ariel armando
  armijo armstrong arnold arriagada arroyo arthur arturo ashley astudillo atkinson audrey augusto avalos avendano avila ayala
  azevedo azocar baeza bailey balboa barahona barbara barbosa barnes barnett barraza barrera barreto barrientos barros barry
  bastias batista bautista beatrice beatriz becerra becky belen ben benavides benitez benjamin bennett bermudez bernal bernard
  bernarda bernardo beth betty beverly bezerra bianca billy bob bobby bonnie borges boyd bradley brandon brenda breno brian
  briones brito brittany bruce bruno bryan bryant burns burton bustamante bustos byrne cabello cabrera caceres caio calderon
  caleb camacho cameron camila camilo campbell campos canales candia cardenas cardona cardoso carl carla carlos carmen carol
  carolina caroline carolyn carrasco carreno carrillo carroll carter carvajal carvalho cassio castaneda castillo castro catalina
  catherine cavalcante cavalcanti cavieres cecilia celia celso cerda cervantes cesar cespedes chacon chapman charles charlie
  charlotte chavez cheryl chloe chris christian christina christine christopher cicero cifuentes cindy cintia cisneros cisternas
  claire clara clark clarke claudia claudio coelho coleman colin collins connor constanza consuelo contreras cordero cornejo
  coronado correa correia cortes cortez costa courtney craig crawford cristian cristina cristobal cruz cuevas cunha cunningham
  curtis cynthia damian dan daniel daniela danielle danilo danny dario darren dave davi david davies davis dawson debora deborah
  delgado denise dennis derek diana diane dias diaz diego diogo dolores dominguez dominic donald donna donoso doris dorothy doug
  douglas doyle duarte dunn duran dustin dylan echeverria edgar edith edmundo edson eduardo edward edwards edwin eileen elaine
  eleanor elena elgueta eliane elias elijah elisa elizabeth ellen elliot elliott ellis elsa elvira emilia emiliano emilio emily
  emma enrique eric erica erik erin ernesto escalona escobar escobedo espinosa espinoza esteban esteves esther ethan eugene
  eugenia eugenio eva evan evans evelyn everton fabian fabiana fabio fabiola fabricio farias fatima felipe ferguson fernanda
  fernandes fernandez fernando ferraz ferreira ferrer figueiredo figueroa flavia flavio fletcher florencia flores fonseca
  frances francis francisca francisco franco frank fred freddie frederick freire freitas fuentealba fuentes fuenzalida furtado
  gabriel gabriela gaete gajardo galindo gallagher gallardo gallegos galvez gamboa garay garcia gareth garrido gaspar gatica
  gavin gemma geoffrey george gerald geraldo gerardo german gibson gilberto gina giovana giovanna gisela gladys glenn gloria
  godoy gomes gomez goncalves gonzales gonzalez gonzalo gordillo gordon grace graciela graham greg gregorio gregory griffin
  guadalupe guajardo guerrero guilherme guillermo guimaraes gustavo gutierrez guzman hamilton hannah hansen hanson harold
  harriet harris harrison harry harvey hawkins hayes hayley heather hector heitor helen helena henderson henrique henriquez
  henry herbert heredia hernan hernandez herrera hicks hilda hinojosa holmes hopkins howard hudson hughes hugo hurtado ian
  ibanez ibarra ignacia ignacio ines ingrid inostroza irene irma isaac isabel isabela isabella isadora isidora ismael iturra
  ivan ivone ivonne jack jackie jackson jacob jacobs jacqueline jaime jake james jamie jane janet janice jara jaramillo jared
  jason javier javiera jean jeff jeffrey jenkins jenna jennifer jenny jensen jeremy jeronimo jerry jesse jessica jessie jesus
  jill jim jimena jimenez jimmy joan joana joanna joanne joao joaquin joe joel john johnny johnson johnston jonas jonathan jones
  jordan jorge jorquera jose josefa josefina joseph josh joshua joyce juan juana juanita juarez judith judy julia julian juliana
  julie julieta julio jussara justin kaitlyn karen karina karl karla kate katherine kathleen kathryn kathy katie kaur kayla
  keith kelley kelly kennedy kenneth kenny kerry kevin khan kim kimberly kyle labra lara larissa larry latorre laura lauren
  lawrence lawson lazo leah leandro lee leiva lemos leo leonard leonardo leonor leslie leticia lewis liam lidia liliana lillo
  linda lindsay lisa livia lizama lloyd lobos lois lopes lopez lorena lorenzo loreto lorraine louis louise lourdes lozano luan
  lucas lucero lucia luciana luciano lucrecia lucy lugo luis luisa luiz luiza luke luz lynn macarena macedo machado machuca
  magalhaes magdalena maggie maira malcolm maldonado manriquez manuel manuela marcela marcelo marcia marcio marco marcos
  margaret margarita maria mariana mariane mariano maribel maricel marie marilia marilyn marin mario marion marisol marjorie
  mark marques marquez marquina marshall marta martha martin martina martinez martins martyn marvin mary matamala mateo mateus
  matheus mathew matias matilde matt matthew matthews mattos maturana matus maureen mauricio mauro maximiliano mayara mccarthy
  mcdonald mckenzie medeiros medina megan mejia melanie melendez melissa melo melvin mendes mendez mendonca mendoza meneses
  menezes mercedes merino meza mia micaela michael michelle miguel mike milagros mildred milena miller miranda miriam mitchell
  molina molly mondaca monica monsalve montecinos monteiro montenegro montero montoya montserrat moore moraes moraga morais
  morales moran moreira moreno morgan morris morrison moura mujica munoz murillo murilo murphy murray myers nadia najera nancy
  naomi nascimento natalia natalie nataly natasha nathan nathaniel navarrete navarro neide neil nelson newman nguyen nicholas
  nichols nick nicolas nicole nigel noah noel noelia noemi nogueira nora norambuena novais nunes nunez obrien ochoa oconnor
  octavio ojeda olga olguin olivares oliveira oliver olivera olivia olmedo olson omar oneill opazo ordonez orellana orlando
  orozco orrego ortega ortiz oscar osmar osorio osses osvaldo otavio ovalle owen oyarzun pablo pacheco padilla paiva pamela
  paola paredes parker parra patel patricia patricio patrick patterson paul paula paulina paulo pavez payne pearson pedro peggy
  peixoto pena penaloza penelope peralta pereira perez perkins perry peter peters peterson phil philip phillip phillips phoebe
  pietro pimentel pineda pinto pires pizarro poblete ponce powell priscila queiroz quezada quinn quinones quintana quintanilla
  quintero quiroga quiroz rachel rafael rafaela raimundo ralph ramalho ramirez ramiro ramon ramos randy rangel raquel raul
  raymond rebeca rebecca rebelo rebolledo regina reginald reid reinaldo renan renata renato rene retamal reyes reynolds rezende
  rhys ribeiro ricardo richard richards richardson rick ricky riley rios riquelme rita rivas rivera riveros robert roberta
  roberto roberts robertson robinson robles rocha rocio rodolfo rodrigo rodrigues rodriguez rogelio roger rogerio rogers rojas
  roldan romero romina ronald ronaldo ronnie rosa rosales rosana rosangela rosario rosemary rosie ross roxana ruben rubio rui
  ruiz russell ruth ryan saavedra sabrina saez salazar saldana saldivia salgado salinas sally sam samantha samara sampaio samuel
  sanabria sanchez sandoval sandra sandro sanhueza santana santibanez santino santos sara sarah saraiva saunders schmidt
  schneider scott sean sebastian sepulveda sergio serrano seth shane shannon sharon shaun shaw shawn sheila shelly sherry
  shirley sidney silva silvana silvia silvio simmons simon simone simpson singh siqueira smith snyder soares sofia solano solis
  sonia sophia sophie soriano sosa soto sotomayor sousa souza spencer stanley stella stephanie stephen stephens steve steven
  stevens stewart stuart suarez suazo sueli sullivan susan susana suzanne sylvia tadeu tais tamara tania tapia tara tatiana
  tavares taylor teixeira tejada teles terence teresa teresita terry thais theodore theresa thiago thomas thompson thomson tiago
  tiffany tim timothy tina tobar toby todd tom tomas tommy tony torrealba torres tovar tracey tracy travis trevor trujillo
  tucker turner tyler ugarte ulises ulloa urbina uribe urrutia urzua valdebenito valdes valdez valdir valdivia valentin
  valentina valenzuela valeria valerie valladares vallejo valter valverde vanesa vanessa vania vanina vargas vasconcelos vasquez
  vazquez vega velasco velasquez velez vera verdugo vergara vernon veronica vicente victor victoria vidal vieira viera vilches
  villagran villalobos villanueva villarroel villegas vilma vincent vinicius vitor vitoria vivanco vivian viviana wagner walker
  wallace walter wanderley warren watkins watson wayne webb weber wendy wesley wheeler whitney wilkinson william williams
  williamson willie willis wilson wright xavier ximena yanez yanira yasmin yasna yates yesenia yolanda yuri yvonne zachary
  zambrano zamora zamorano zapata zarate zavala zepeda zoe zulema zuniga zurita
`;

export const commonNames: ReadonlySet<string> = new Set(names.trim().split(/\s+/));
